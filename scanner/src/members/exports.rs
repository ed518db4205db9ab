//! What a plugin can export: capabilities, and the hooks among them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What a package offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Capability {
    /// Tools for the assistant.
    Tools,
    /// Hooks that see, and some of them change, what the assistant does.
    Middleware,
    /// Calls at the beginnings and ends of installs and sessions.
    Lifecycle,
}

impl Capability {
    /// Every capability, in order.
    pub const ALL: [Self; 3] = [Self::Tools, Self::Middleware, Self::Lifecycle];

    /// The name, as manifests spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Middleware => "middleware",
            Self::Lifecycle => "lifecycle",
        }
    }

    /// What it means to an installer. It completes *This plugin can …* and has no full stop.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Tools => "offer the assistant tools that it wrote",
            Self::Middleware => "step in at the points listed here while the assistant works",
            Self::Lifecycle => {
                "run when it is installed, updated or removed, and when a session begins or ends"
            }
        }
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A text that is no capability.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no capability {text:?}; there are `tools`, `middleware` and `lifecycle`")]
pub struct UnknownCapability {
    /// The text.
    pub text: String,
}

impl FromStr for Capability {
    type Err = UnknownCapability;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|capability| capability.as_str() == text)
            .ok_or_else(|| UnknownCapability {
                text: text.to_owned(),
            })
    }
}

/// An interface that a plugin can export.
#[derive(Debug)]
pub struct Export {
    /// The WIT interface, without package and version: `hook-pre-tool-call`.
    pub interface: &'static str,
    /// The capability that exporting it offers.
    pub capability: Capability,
    /// The hook's name, for the interfaces that are one: `pre-tool-call`. The access lists it as
    /// `hook:pre-tool-call`.
    pub hook: Option<&'static str>,
}

const fn hook(interface: &'static str, name: &'static str) -> Export {
    Export {
        interface,
        capability: Capability::Middleware,
        hook: Some(name),
    }
}

/// Every interface that a plugin can export.
pub static EXPORTS: &[Export] = &[
    Export {
        interface: "tools",
        capability: Capability::Tools,
        hook: None,
    },
    hook("hook-message-received", "message-received"),
    hook("hook-message-sending", "message-sending"),
    hook("hook-toolset-building", "toolset-building"),
    hook("hook-pre-tool-call", "pre-tool-call"),
    hook("hook-post-tool-call", "post-tool-call"),
    hook("hook-pre-llm-call", "pre-llm-call"),
    hook("hook-post-llm-call", "post-llm-call"),
    hook("hook-session-compacting", "session-compacting"),
    hook("hook-ssh-connected", "ssh-connected"),
    hook("hook-ssh-command-finished", "ssh-command-finished"),
    hook("hook-ssh-disconnecting", "ssh-disconnecting"),
    Export {
        interface: "lifecycle",
        capability: Capability::Lifecycle,
        hook: None,
    },
];

/// The export with this interface, named as in the WIT and without package and version.
pub fn by_exported_interface(interface: &str) -> Option<&'static Export> {
    EXPORTS.iter().find(|export| export.interface == interface)
}

/// What a hook lets a plugin do, for installers; `name` is as in [`Export::hook`]. It completes
/// *This plugin can …* and has no full stop.
pub fn hook_sentence(name: &str) -> Option<&'static str> {
    Some(match name {
        "message-received" => {
            "read each message that reaches the assistant, and drop it before the assistant sees it"
        }
        "message-sending" => {
            "read each message that the assistant is about to send, rewrite it or hold it back"
        }
        "toolset-building" => {
            "see which tools the assistant is offered for each message, and take tools away"
        }
        "pre-tool-call" => {
            "see each tool call before it runs, change what it is called with, block it, or have \
             it ask you first"
        }
        "post-tool-call" => {
            "read what each tool call gave, and rewrite it before the assistant sees it"
        }
        "pre-llm-call" => {
            "read the conversation each time it is sent to the model, and add text of its own"
        }
        "post-llm-call" => "read each answer that the model gives",
        "session-compacting" => {
            "see when a long conversation is about to be shortened, and put that off"
        }
        "ssh-connected" => "see which server the assistant connects to over SSH, as which user",
        "ssh-command-finished" => {
            "read each command that the assistant ran over SSH, with its output"
        }
        "ssh-disconnecting" => "see when the assistant closes a connection over SSH",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hook_is_named_as_its_interface() {
        for export in EXPORTS {
            assert_eq!(export.interface.strip_prefix("hook-"), export.hook);
            assert_eq!(
                export.hook.is_some(),
                export.capability == Capability::Middleware
            );
        }
    }

    #[test]
    fn a_capability_reads_back_from_its_name() {
        for capability in Capability::ALL {
            assert_eq!(capability.as_str().parse(), Ok(capability));
            let json = serde_json::to_string(&capability).unwrap();
            assert_eq!(json, format!("\"{capability}\""));
            assert_eq!(
                serde_json::from_str::<Capability>(&json).unwrap(),
                capability
            );
        }
        assert!("Tools".parse::<Capability>().is_err());
    }
}
