//! A Discord-compatible server on loopback, for development and tests.
