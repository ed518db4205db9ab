//! Disks, services, processes, packages, the system's configuration and rights.

use super::Command;
use crate::judgement::Category;
use crate::walk::Walk;

pub(super) fn check(walk: &mut Walk<'_>, command: &Command<'_>) {
    let program = command.program;
    match program {
        "mount" | "umount" | "losetup" | "swapon" | "swapoff" | "cryptsetup" | "hdparm"
        | "fsck" | "tune2fs" | "resize2fs" | "xfs_repair" | "e2fsck" | "mdadm" | "zpool"
        | "zfs" | "btrfs" | "lvremove" | "vgremove" | "pvremove" | "lvresize" | "lvreduce"
        | "pvcreate" | "vgcreate" | "diskutil" | "partprobe" | "fdisk" | "sfdisk" | "parted"
        | "sgdisk" | "gdisk" | "nvme" => {
            // Without operands, a mount only lists.
            if !(program == "mount" && command.words.len() == 1) {
                command.find(walk, Category::Disks, "It works on disks or file systems.");
            }
        }
        "dd" => {
            if command
                .words
                .iter()
                .any(|word| word.text().starts_with("of="))
            {
                command.find(
                    walk,
                    Category::Disks,
                    "It writes over a file or device block by block.",
                );
            }
        }
        _ if program.starts_with("mkfs") => {
            command.find(walk, Category::Disks, "It makes a file system.");
        }
        "systemctl" => {
            let reads = [
                "",
                "status",
                "show",
                "cat",
                "is-active",
                "is-enabled",
                "is-failed",
                "list-units",
                "list-unit-files",
                "list-timers",
                "list-sockets",
                "list-dependencies",
                "list-jobs",
                "get-default",
                "--version",
            ];
            if !reads.contains(&command.verb()) {
                command.find(walk, Category::Services, "It changes a service.");
            }
            if command.has_any(&["enable", "link", "edit", "--now"]) {
                command.find(
                    walk,
                    Category::Persistence,
                    "It changes what starts with the system.",
                );
            }
        }
        "service" | "rc-service" | "sv" | "initctl" | "supervisorctl" | "pm2" | "svc"
        | "s6-svc" | "launchctl" | "brew" | "monit" => {
            let acts = [
                "stop",
                "restart",
                "reload",
                "kill",
                "delete",
                "remove",
                "down",
                "disable",
                "unload",
                "load",
                "bootout",
                "bootstrap",
                "services",
                "shutdown",
                "start",
                "force-reload",
            ];
            if command.has_any(&acts) {
                command.find(walk, Category::Services, "It changes a service.");
            }
        }
        "update-rc.d" | "chkconfig" | "rc-update" => {
            command.find(
                walk,
                Category::Persistence,
                "It changes what starts with the system.",
            );
        }
        "kill" => {
            if !command.has_any(&["-l", "-L", "-0", "--list"]) {
                command.find(walk, Category::Processes, "It ends processes.");
            }
        }
        "pkill" | "killall" | "killall5" | "skill" | "xkill" => {
            command.find(walk, Category::Processes, "It ends processes.");
        }
        "fuser" => {
            if command.short('k') || command.long("kill") {
                command.find(walk, Category::Processes, "It ends processes.");
            }
        }
        "sysctl" => {
            if command.short('w')
                || command.short('p')
                || command.words.iter().any(|word| word.text().contains('='))
            {
                command.find(
                    walk,
                    Category::SystemConfiguration,
                    "It changes the kernel's settings.",
                );
            }
        }
        "iptables"
        | "ip6tables"
        | "nft"
        | "ufw"
        | "firewall-cmd"
        | "pfctl"
        | "hostnamectl"
        | "timedatectl"
        | "localectl"
        | "update-alternatives"
        | "ldconfig"
        | "visudo"
        | "defaults"
        | "scutil"
        | "networksetup"
        | "nmcli"
        | "resolvectl"
        | "tc"
        | "setenforce"
        | "semanage"
        | "aa-disable"
        | "auditctl"
        | "csrutil"
        | "spctl" => {
            command.find(
                walk,
                Category::SystemConfiguration,
                "It changes the system's settings.",
            );
        }
        "ip" | "ifconfig" | "route" => {
            if command.has_any(&[
                "add", "del", "delete", "set", "flush", "up", "down", "change", "replace",
            ]) {
                command.find(
                    walk,
                    Category::SystemConfiguration,
                    "It changes the network's settings.",
                );
            }
        }
        "useradd" | "usermod" | "userdel" | "adduser" | "deluser" | "groupadd" | "groupmod"
        | "groupdel" | "gpasswd" | "passwd" | "chpasswd" | "chsh" | "chfn" | "vipw" | "newgrp"
        | "sg" | "insmod" | "modprobe" | "rmmod" | "kmod" | "setcap" | "dscl" => {
            command.find(
                walk,
                Category::Privilege,
                "It changes users, groups or what the kernel runs.",
            );
        }
        "crontab" => {
            if !command.short('l') {
                command.find(
                    walk,
                    Category::Persistence,
                    "It changes what runs by itself later.",
                );
                let file = crate::arguments::operands(command.words).next().cloned();
                if let Some(file) = file.filter(|file| file.text() != "-") {
                    walk.runs_file(&file, &crate::walk::Around::default());
                }
            }
        }
        "history" => {
            if command.short('c') || command.short('d') {
                command.find(
                    walk,
                    Category::SystemConfiguration,
                    "It deletes what the shell remembers.",
                );
            }
        }
        "printenv" | "export" | "set" | "declare" => {
            let shows = match program {
                "printenv" => true,
                "export" | "declare" => command.words.len() == 1 || command.has("-p"),
                _ => command.words.len() == 1,
            };
            if shows {
                command.find(
                    walk,
                    Category::Credentials,
                    "It shows the environment, which can hold keys.",
                );
            }
        }
        "enable" => {
            if command.short('f') {
                command.find(walk, Category::Environment, "It loads code into the shell.");
            }
        }
        "ostler" => {
            let asks = command.has_any(&["--help", "-h", "help", "--version", "-V"]);
            if !asks {
                command.find(
                    walk,
                    Category::HostControl,
                    "It controls the host of this assistant.",
                );
            }
        }
        _ => packages(walk, command),
    }
}

fn packages(walk: &mut Walk<'_>, command: &Command<'_>) {
    let removes: &[&str] = match command.program {
        "apt" | "apt-get" | "aptitude" => &[
            "remove",
            "purge",
            "autoremove",
            "autopurge",
            "dist-upgrade",
            "full-upgrade",
        ],
        "dpkg" => &["-r", "-P", "--remove", "--purge", "--force-all"],
        "yum" | "dnf" | "zypper" | "microdnf" => &["remove", "erase", "autoremove", "rm"],
        "rpm" => &["-e", "--erase", "--nodeps"],
        "pacman" | "yay" | "paru" => &["-R", "-Rs", "-Rns", "-Rn", "-Rc", "-Rdd", "--remove"],
        "apk" => &["del"],
        "snap" | "flatpak" => &["remove", "uninstall"],
        "port" | "nix-env" | "choco" | "winget" | "scoop" => {
            &["uninstall", "-e", "remove", "--uninstall"]
        }
        "pip" | "pip3" | "pipx" | "uv" | "gem" | "cargo" | "conda" | "mamba" | "composer" => {
            &["uninstall", "remove", "uninstall-all"]
        }
        "npm" | "yarn" | "pnpm" | "bun" => &["uninstall", "remove", "rm", "un", "unpublish"],
        _ => &[],
    };
    if command.has_any(removes) {
        command.find(walk, Category::Packages, "It removes packages.");
    }
    let publishes: &[&str] = match command.program {
        "npm" | "yarn" | "pnpm" | "cargo" | "gem" | "poetry" | "uv" | "hatch" => {
            &["publish", "yank", "push", "unpublish"]
        }
        "twine" => &["upload"],
        _ => &[],
    };
    if publishes.contains(&command.verb()) {
        command.find(
            walk,
            Category::Exfiltration,
            "It publishes files for everybody.",
        );
    }
}
