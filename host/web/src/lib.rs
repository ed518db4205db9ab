//! The running host's JSON API and pages.
