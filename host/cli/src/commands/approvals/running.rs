//! The host that runs on a home, by its API.

use std::path::{Path, PathBuf};
use std::time::Duration;

use ostler_config::Home;
use ostler_store::ApprovalId;
use reqwest::{Client, StatusCode};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::failure::{Exit, Failure};

/// How long the host may take: it asks Discord who the owner is before it judges.
const PATIENCE: Duration = Duration::from_secs(30);

/// What the host wrote for commands to find it by.
#[derive(Deserialize)]
pub(super) struct RunningHost {
    address: String,
    token: String,
    #[serde(skip)]
    home: PathBuf,
}

/// What became of an answer.
pub(super) enum Answered {
    /// It ended the ask.
    Done,
    /// Something else had.
    Before,
}

impl RunningHost {
    /// The host of a home.
    ///
    /// # Errors
    /// `host-not-running`: none has told where it is.
    pub(super) fn find(home: &Home) -> Result<Self, Failure> {
        let path = home.run().join("api.json");
        let text = match std::fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(not_running(home.path(), "none has told where it is"));
            }
            Err(error) => {
                let what = format!("cannot read {}", path.display());
                return Err(Failure::io(&what, &error));
            }
        };
        let found: Self = serde_json::from_slice(&text).map_err(|error| {
            let what = format!("cannot read {}", path.display());
            Failure::io(&what, &std::io::Error::other(error))
        })?;
        Ok(Self {
            home: home.path().to_owned(),
            ..found
        })
    }

    /// Answers an ask as the owner.
    ///
    /// # Errors
    /// Exit 1 with the host's code where the answer was refused or came too late; exit 2
    /// `host-not-running` where nothing of this home answers.
    pub(super) async fn answer(
        &self,
        id: ApprovalId,
        approve: bool,
        reason: Option<&str>,
    ) -> Result<Answered, Failure> {
        let verb = if approve { "approve" } else { "deny" };
        let url = format!("{}/api/v1/approvals/{id}/{verb}", self.address);
        let answer = self
            .client()?
            .post(url)
            .bearer_auth(&self.token)
            .json(&json!({"reason": reason}))
            .send()
            .await
            .map_err(|error| self.unreachable(&error))?;
        let status = answer.status();
        let text = answer.text().await.unwrap_or_default();
        let body: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
        match (status, body["error"]["code"].as_str()) {
            (StatusCode::OK, None) if body["id"] == id.to_string() => Ok(Answered::Done),
            (StatusCode::CONFLICT, Some("approval-settled")) => Ok(Answered::Before),
            (_, Some(code)) => {
                let is_judged = matches!(
                    status,
                    StatusCode::FORBIDDEN | StatusCode::GONE | StatusCode::UNPROCESSABLE_ENTITY
                );
                let exit = if is_judged {
                    Exit::NotFine
                } else {
                    Exit::Usage
                };
                let message = body["error"]["message"].as_str().unwrap_or_default();
                Err(Failure::new(exit, code, message))
            }
            // Whatever listens there is no host of ours.
            _ => Err(not_running(
                &self.home,
                &format!("{} does not answer as one", self.address),
            )),
        }
    }

    /// A client for this machine alone: the token goes through no proxy, and to no other address.
    fn client(&self) -> Result<Client, Failure> {
        // A second one of the same process finds it installed.
        let _ = rustls::crypto::ring::default_provider().install_default();
        Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(PATIENCE)
            .build()
            .map_err(|error| Failure::io("no client", &std::io::Error::other(error)))
    }

    fn unreachable(&self, error: &reqwest::Error) -> Failure {
        if error.is_connect() {
            // A host that was killed leaves its file.
            return not_running(&self.home, &format!("nothing listens at {}", self.address));
        }
        Failure::new(
            Exit::Usage,
            "host-unreachable",
            format!("the host at {} did not answer: {error}", self.address),
        )
        .with_help("look at the approval before you try again: the answer may have counted")
    }
}

fn not_running(home: &Path, why: &str) -> Failure {
    Failure::new(
        Exit::Usage,
        "host-not-running",
        format!(
            "no host runs on {}: {why}. Nobody could do what you answer about, and nothing was \
             decided",
            home.display()
        ),
    )
    .with_help("`ostler serve` runs it; what its turns had asked before is cancelled then")
}
