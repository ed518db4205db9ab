//! The Discord adapter: gateway, posting, REST tools.
