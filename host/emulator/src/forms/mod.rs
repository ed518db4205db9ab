//! What request bodies may hold, one file per object.

pub(crate) mod channel;
pub(crate) mod component;
pub(crate) mod embed;
pub(crate) mod form;
pub(crate) mod message;
pub(crate) mod modal;
