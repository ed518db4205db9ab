//! `log`: lines for the author and the operator. A line where the log is absent is dropped.

use crate::bindings::log;
use crate::members::member_id;
use crate::outcome::LogLevel;
use crate::state::State;

impl log::Host for State {
    fn debug(&mut self, message: String) -> wasmtime::Result<()> {
        match self.enter(member_id!("log.debug"))? {
            Ok(()) => self.log(LogLevel::Debug, message),
            Err(_absent) => Ok(()),
        }
    }

    fn info(&mut self, message: String) -> wasmtime::Result<()> {
        match self.enter(member_id!("log.info"))? {
            Ok(()) => self.log(LogLevel::Info, message),
            Err(_absent) => Ok(()),
        }
    }

    fn warn(&mut self, message: String) -> wasmtime::Result<()> {
        match self.enter(member_id!("log.warn"))? {
            Ok(()) => self.log(LogLevel::Warn, message),
            Err(_absent) => Ok(()),
        }
    }

    fn error(&mut self, message: String) -> wasmtime::Result<()> {
        match self.enter(member_id!("log.error"))? {
            Ok(()) => self.log(LogLevel::Error, message),
            Err(_absent) => Ok(()),
        }
    }
}
