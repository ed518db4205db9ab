//! Closed sets of words, as columns with a `CHECK` hold them.

/// Gives an enum its words: as text, into a column and out of it. Another word in a column is damage.
macro_rules! stored_enum {
    ($name:ident, $($variant:ident = $text:literal),+ $(,)?) => {
        impl $name {
            /// The word, as it is stored and shown.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl rusqlite::ToSql for $name {
            fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
                rusqlite::ToSql::to_sql(self.as_str())
            }
        }

        impl rusqlite::types::FromSql for $name {
            fn column_result(
                value: rusqlite::types::ValueRef<'_>,
            ) -> rusqlite::types::FromSqlResult<Self> {
                match value.as_str()? {
                    $($text => Ok(Self::$variant),)+
                    other => Err(rusqlite::types::FromSqlError::other(
                        $crate::stored::UnknownWord(other.to_owned()),
                    )),
                }
            }
        }
    };
}
pub(crate) use stored_enum;

#[derive(Debug, thiserror::Error)]
#[error("{0:?} is no word that is stored here")]
pub(crate) struct UnknownWord(pub(crate) String);
