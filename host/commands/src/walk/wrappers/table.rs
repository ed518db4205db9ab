//! How programs take the command that they run.

/// How a program takes the command that it runs.
pub(super) struct Wrapper {
    /// Letters of flags without and with a value.
    pub(super) flags: &'static str,
    pub(super) valued: &'static str,
    /// Long flags with a value, as the next word.
    pub(super) long_valued: &'static [&'static str],
    /// Operands before the command.
    pub(super) operands: usize,
    /// Whether `NAME=value` may stand before the command.
    pub(super) assigns: bool,
    /// Whether the command is the same command without it.
    pub(super) same: bool,
}

const PLAIN: Wrapper = Wrapper {
    flags: "",
    valued: "",
    long_valued: &[],
    operands: 0,
    assigns: false,
    same: true,
};

/// The row of a program, if it runs the command in its words and does so plainly.
pub(super) fn wrapper(program: &str) -> Option<Wrapper> {
    let wrapper = match program {
        "builtin" | "nohup" | "busybox" | "toybox" | "unbuffer" | "catchsegv"
        | "dbus-run-session" | "noglob" | "nocorrect" | "caffeinate" => PLAIN,
        "command" => Wrapper {
            flags: "p",
            ..PLAIN
        },
        "exec" => Wrapper {
            flags: "cl",
            valued: "a",
            ..PLAIN
        },
        "env" => Wrapper {
            flags: "iv0",
            valued: "uCaS",
            long_valued: &["unset", "chdir", "argv0", "split-string"],
            assigns: true,
            ..PLAIN
        },
        "nice" => Wrapper {
            flags: "0123456789",
            valued: "n",
            long_valued: &["adjustment"],
            ..PLAIN
        },
        "ionice" => Wrapper {
            flags: "t0123456789",
            valued: "cnpPu",
            long_valued: &["class", "classdata", "pid", "pgid", "uid"],
            ..PLAIN
        },
        "timeout" | "gtimeout" => Wrapper {
            flags: "vfp",
            valued: "ks",
            long_valued: &["kill-after", "signal"],
            operands: 1,
            ..PLAIN
        },
        "time" => Wrapper {
            flags: "pvaqV",
            valued: "fo",
            long_valued: &["format", "output"],
            ..PLAIN
        },
        "setsid" => Wrapper {
            flags: "cfw",
            ..PLAIN
        },
        "stdbuf" => Wrapper {
            valued: "ioe",
            long_valued: &["input", "output", "error"],
            ..PLAIN
        },
        "chrt" => Wrapper {
            flags: "abdfiormpv",
            valued: "TPD",
            operands: 1,
            ..PLAIN
        },
        "taskset" => Wrapper {
            flags: "acp",
            operands: 1,
            ..PLAIN
        },
        "strace" | "ltrace" => Wrapper {
            flags: "cCdfFhiqrtTvVwxyYzZk0123456789",
            valued: "aebEIoOpPsSuUXn",
            same: false,
            ..PLAIN
        },
        "gdb" | "valgrind" | "perf" | "torsocks" | "proxychains" | "proxychains4" | "tsocks"
        | "xvfb-run" | "firejail" | "proot" | "fakeroot" | "eatmydata" | "systemd-inhibit"
        | "direnv" | "rlwrap" | "start-stop-daemon" | "daemonize" | "chpst" | "softlimit"
        | "cgexec" | "numactl" => Wrapper {
            same: false,
            ..PLAIN
        },
        "flock" => Wrapper {
            flags: "Fexnosuv",
            valued: "wE",
            long_valued: &["timeout", "wait", "conflict-exit-code"],
            operands: 1,
            same: false,
            ..PLAIN
        },
        "chroot" => Wrapper {
            long_valued: &["userspec", "groups"],
            operands: 1,
            same: false,
            ..PLAIN
        },
        "unshare" | "nsenter" | "setpriv" | "capsh" | "bwrap" | "systemd-run" => Wrapper {
            same: false,
            flags: "mUupinTrfaFCZeq",
            valued: "tSGEDH",
            long_valued: &[
                "target",
                "unit",
                "property",
                "description",
                "slice",
                "uid",
                "gid",
                "nice",
                "working-directory",
                "setenv",
                "ro-bind",
                "reuid",
                "regid",
            ],
            ..PLAIN
        },
        "sudo" => Wrapper {
            flags: "AbBEHiklnPsSvVKeN",
            valued: "ughpCTRDrtUac",
            long_valued: &[
                "user",
                "group",
                "host",
                "prompt",
                "close-from",
                "chdir",
                "chroot",
                "role",
                "type",
                "other-user",
                "command-timeout",
            ],
            assigns: true,
            same: false,
            ..PLAIN
        },
        "doas" => Wrapper {
            flags: "nsL",
            valued: "uCa",
            same: false,
            ..PLAIN
        },
        "pkexec" => Wrapper {
            long_valued: &["user"],
            same: false,
            ..PLAIN
        },
        "run0" => Wrapper {
            flags: "hV",
            valued: "ugD",
            long_valued: &[
                "user",
                "group",
                "chdir",
                "unit",
                "property",
                "description",
                "slice",
                "nice",
                "setenv",
                "background",
                "machine",
            ],
            same: false,
            ..PLAIN
        },
        _ => return None,
    };
    Some(wrapper)
}
