//! Cards as people meet them: found in a channel, read, pressed.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::discord::{Discord, PATIENCE};

/// A message of the bot's with buttons.
#[derive(Clone, Debug)]
pub struct Card {
    /// Where it stands.
    pub channel: String,
    /// The message, as it was when it was read.
    pub message: Value,
}

impl Card {
    /// The message's id.
    ///
    /// # Panics
    /// If it has none.
    #[must_use]
    pub fn id(&self) -> &str {
        self.message["id"].as_str().expect("an id")
    }

    /// Its text.
    #[must_use]
    pub fn content(&self) -> &str {
        self.message["content"].as_str().unwrap_or_default()
    }

    /// Its buttons and lists.
    #[must_use]
    pub fn components(&self) -> Vec<Value> {
        components(&self.message)
    }

    /// The id of the button with this label, or of the list with this placeholder.
    ///
    /// # Panics
    /// If there is none.
    #[must_use]
    pub fn button(&self, label: &str) -> String {
        self.components()
            .iter()
            .find(|component| component["label"] == label || component["placeholder"] == label)
            .and_then(|component| component["custom_id"].as_str())
            .unwrap_or_else(|| panic!("no `{label}` on {}", self.message))
            .to_owned()
    }

    /// Whether its buttons can be pressed.
    #[must_use]
    pub fn is_open(&self) -> bool {
        is_open(&self.message)
    }

    /// The ask's id, 32 hexadecimal digits.
    ///
    /// # Panics
    /// If no button names one.
    #[must_use]
    pub fn ask(&self) -> String {
        let id = self.components()[0]["custom_id"].to_string();
        id.split(':').nth(2).expect("an ask").to_owned()
    }
}

fn components(message: &Value) -> Vec<Value> {
    let rows = message["components"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    rows.iter()
        .flat_map(|row| row["components"].as_array().cloned().unwrap_or_default())
        .collect()
}

fn is_open(message: &Value) -> bool {
    let components = components(message);
    !components.is_empty() && components.iter().all(|c| c["disabled"] != true)
}

impl Discord {
    /// The cards in a channel, the oldest first, ended ones among them.
    pub async fn cards(&self, channel: &str) -> Vec<Card> {
        self.messages(channel)
            .await
            .into_iter()
            .filter(|message| !components(message).is_empty())
            .map(|message| Card {
                channel: channel.to_owned(),
                message,
            })
            .collect()
    }

    /// Waits for an open card in a channel: the newest.
    ///
    /// # Panics
    /// If none comes.
    pub async fn wait_for_card(&self, channel: &str) -> Card {
        let began = Instant::now();
        loop {
            let open = self.cards(channel).await.into_iter().rfind(Card::is_open);
            if let Some(card) = open {
                return card;
            }
            assert!(
                began.elapsed() < PATIENCE,
                "no card in {:?}",
                self.messages(channel).await
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Waits until a card has ended, and gives it as it stands then.
    ///
    /// # Panics
    /// If it does not.
    pub async fn wait_for_end_of(&self, card: &Card) -> Card {
        let began = Instant::now();
        loop {
            let now = self.cards(&card.channel).await;
            let found = now.into_iter().find(|other| other.id() == card.id());
            match found {
                Some(ended) if !ended.is_open() => return ended,
                other => assert!(began.elapsed() < PATIENCE, "still open: {other:?}"),
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Presses what has this id on a message: the host's first answer, and when it came.
    pub async fn press_id(&self, user: &str, message: &str, custom_id: &str) -> Value {
        let body = json!({"user": self.user(user), "message": message, "custom_id": custom_id});
        self.control("POST", "press", Some(body)).await
    }

    /// A person, by name, presses a card's button, by its label.
    pub async fn press(&self, user: &str, card: &Card, label: &str) -> Value {
        self.press_id(user, card.id(), &card.button(label)).await
    }

    /// Presses a button that opens a form, and submits the form with this text.
    ///
    /// # Panics
    /// If no form opens.
    pub async fn press_and_write(&self, user: &str, card: &Card, label: &str, text: &str) -> Value {
        let opened = self.press(user, card, label).await;
        assert_eq!(opened["response"]["type"], 9, "a form: {opened}");
        let form = opened["response"]["data"]["custom_id"].clone();
        let body = json!({
            "user": self.user(user), "message": card.id(), "custom_id": form,
            "fields": {"text": text},
        });
        self.control("POST", "press", Some(body)).await
    }

    /// A person denies, with a reason or without.
    pub async fn deny(&self, user: &str, card: &Card, reason: &str) -> Value {
        self.press_and_write(user, card, "Deny", reason).await
    }

    /// Waits until the bot told a person something in private in a channel, and gives the newest.
    ///
    /// # Panics
    /// If it does not.
    pub async fn wait_for_private(&self, user: &str, channel: &str, count: usize) -> String {
        let began = Instant::now();
        loop {
            let told = self.private(user, channel).await;
            if told.len() >= count {
                return told.last().cloned().unwrap_or_default();
            }
            assert!(began.elapsed() < PATIENCE, "{user} was told {told:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// What only this person sees in a channel (Discord, *Message Flags*, `EPHEMERAL`).
    pub async fn private(&self, user: &str, channel: &str) -> Vec<String> {
        let path = format!("messages?channel={channel}&as={}", self.user(user));
        let messages = self.control("GET", &path, None).await;
        let mut messages = messages.as_array().cloned().unwrap_or_default();
        messages.sort_by_key(|m| m["id"].as_str().and_then(|id| id.parse::<u64>().ok()));
        messages
            .iter()
            .filter(|message| message["flags"].as_u64().unwrap_or_default() & 64 != 0)
            .map(|message| message["content"].as_str().unwrap_or_default().to_owned())
            .collect()
    }
}
