//! What is read of an interaction, and how it is answered (Discord, *Interactions*).

use ostler_agent::{Acknowledgement, ChannelKind, Form, FormField, InboundClick, Place};
use serde_json::{Value, json};
use serenity::builder::{
    CreateActionRow, CreateAllowedMentions, CreateInputText, CreateInteractionResponse,
    CreateInteractionResponseFollowup, CreateInteractionResponseMessage, CreateModal,
};
use serenity::model::application::InputTextStyle;

use crate::payload::{author, channel_facts, id, list, member_facts, text};
use crate::places::{Places, place};

/// What is needed to answer an interaction.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) interaction: String,
    pub(crate) application: Option<String>,
    pub(crate) token: String,
}

/// What could be read.
pub(crate) enum Interaction {
    /// A click, whole.
    Click(Reply, InboundClick),
    /// A click of which all that decides is there, and something else is missing.
    Partial(Reply, InboundClick, &'static str),
    /// Nobody can tell what was pressed, or by whom: it is answered, and that is all.
    Unreadable(Reply, &'static str),
    /// It cannot even be answered.
    Unanswerable(&'static str),
    /// A command or an autocompletion: this bot has none.
    Foreign,
}

/// Discord, *Interaction Type*.
const COMPONENT: u64 = 3;
const FORM: u64 = 5;

/// Reads an interaction from the raw payload.
pub(crate) fn read(data: &Value, places: &Places) -> Interaction {
    let Some(interaction) = text(data, "id") else {
        return Interaction::Unanswerable("id");
    };
    let Some(token) = text(data, "token") else {
        return Interaction::Unanswerable("token");
    };
    let kind = data.get("type").and_then(Value::as_u64);
    if matches!(kind, Some(kind) if kind != COMPONENT && kind != FORM) {
        return Interaction::Foreign;
    }
    let reply = Reply {
        interaction: interaction.to_owned(),
        application: text(data, "application_id").map(str::to_owned),
        token: token.to_owned(),
    };
    let pressed = data.get("data").unwrap_or(&Value::Null);
    let Some(custom_id) = text(pressed, "custom_id") else {
        return Interaction::Unreadable(reply, "custom_id");
    };
    let member = data.get("member");
    let user = member
        .and_then(|member| member.get("user"))
        .or_else(|| data.get("user"));
    let Some(person) = user.and_then(|user| author(user, member)) else {
        return Interaction::Unreadable(reply, "user");
    };
    let message = data.get("message").and_then(|message| id(message, "id"));
    let click = InboundClick {
        id: reply.interaction.clone(),
        custom_id: custom_id.to_owned(),
        place: read_place(data, places),
        message,
        person,
        member: member_facts(member),
        values: list(pressed, "values")
            .iter()
            .filter_map(|value| value.as_str().map(str::to_owned))
            .collect(),
        fields: fields(pressed),
    };
    if click.place.is_none() {
        return Interaction::Partial(reply, click, "channel");
    }
    if click.message.is_none() && kind == Some(COMPONENT) {
        return Interaction::Partial(reply, click, "message");
    }
    Interaction::Click(reply, click)
}

fn read_place(data: &Value, places: &Places) -> Option<Place> {
    let guild = id(data, "guild_id");
    let told = data
        .get("channel")
        .and_then(channel_facts)
        .map(|mut facts| {
            facts.guild = facts.guild.or_else(|| guild.clone());
            place(facts)
        });
    told.or_else(|| {
        let channel = id(data, "channel_id")?;
        places.get(&channel).or_else(|| {
            guild.is_none().then_some(Place {
                channel,
                kind: ChannelKind::Direct,
                guild: None,
                parent: None,
            })
        })
    })
}

/// A form's fields, which stand in rows (`components`) or labels (`component`).
fn fields(pressed: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for outer in list(pressed, "components") {
        let inner = list(outer, "components")
            .iter()
            .chain(outer.get("component"));
        for field in inner {
            if let (Some(name), Some(value)) = (text(field, "custom_id"), text(field, "value")) {
                found.push((name.to_owned(), value.to_owned()));
            }
        }
    }
    found
}

/// The body of the first answer.
pub(crate) fn acknowledgement(chosen: &Acknowledgement) -> Value {
    match chosen {
        Acknowledgement::Deferred => json!({"type": 6}),
        Acknowledgement::Form(form) => body(&CreateInteractionResponse::Modal(modal(form))),
    }
}

fn modal(form: &Form) -> CreateModal {
    let rows = form.fields.iter().map(input).collect();
    CreateModal::new(form.custom_id.clone(), form.title.clone()).components(rows)
}

fn input(field: &FormField) -> CreateActionRow {
    let style = if field.is_paragraph {
        InputTextStyle::Paragraph
    } else {
        InputTextStyle::Short
    };
    CreateActionRow::InputText(
        CreateInputText::new(style, field.label.clone(), field.custom_id.clone())
            .required(field.is_required)
            .max_length(field.max_length),
    )
}

/// The answer to an interaction of which nobody can tell what was pressed.
pub(crate) fn apology() -> Value {
    let message = CreateInteractionResponseMessage::new()
        .content(
            "Ostler could not read this click. Nothing was decided: press again, or answer on \
             Ostler's web page or with `ostler approvals`.",
        )
        .ephemeral(true)
        .allowed_mentions(CreateAllowedMentions::new());
    body(&CreateInteractionResponse::Message(message))
}

/// A text that only the presser sees.
pub(crate) fn private(text: &str) -> Value {
    body(
        &CreateInteractionResponseFollowup::new()
            .content(text)
            .ephemeral(true)
            .allowed_mentions(CreateAllowedMentions::new()),
    )
}

fn body(builder: &impl serde::Serialize) -> Value {
    // These builders hold strings and numbers: nothing in them can fail to become JSON.
    serde_json::to_value(builder).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use ostler_agent::Fact;

    use super::*;

    fn press() -> Value {
        json!({
            "id": "1", "application_id": "2", "token": "t", "type": 3,
            "guild_id": "3", "channel_id": "4", "channel": {"id": "4", "type": 11, "parent_id": "9"},
            "data": {"custom_id": "yes", "component_type": 2},
            "message": {"id": "5"},
            "member": {"user": {"id": "6", "username": "ada"}, "nick": "Ada", "roles": ["7"],
                       "permissions": "8"},
        })
    }

    #[test]
    fn a_click_is_read_whole() {
        let Interaction::Click(_, click) = read(&press(), &Places::default()) else {
            panic!("it reads");
        };
        assert_eq!(click.custom_id, "yes");
        assert_eq!(click.person.display_name, "Ada");
        let place = click.place.unwrap();
        assert_eq!(place.kind, ChannelKind::Thread);
        assert_eq!(place.parent, Some("9".parse().unwrap()));
        assert_eq!(place.guild, Some("3".parse().unwrap()));
        assert!(click.member.known().is_some());
    }

    #[test]
    fn a_click_survives_everything_that_it_does_not_need() {
        let mut odd = press();
        odd["message"] = json!({"id": "5", "type": 9999, "poll": {"answers": "?"}});
        odd["data"]["component_type"] = json!("button");
        odd["locale"] = json!(5);
        assert!(matches!(
            read(&odd, &Places::default()),
            Interaction::Click(..)
        ));
        odd["message"] = json!("gone");
        odd["channel"] = json!(0);
        let Interaction::Partial(_, click, missing) = read(&odd, &Places::default()) else {
            panic!("the channel is not known");
        };
        assert_eq!((click.place, missing), (None, "channel"));
    }

    #[test]
    fn what_decides_must_be_there() {
        for (field, missing) in [("data", "custom_id"), ("member", "user")] {
            let mut odd = press();
            odd[field] = json!(null);
            assert!(
                matches!(read(&odd, &Places::default()), Interaction::Unreadable(_, what) if what == missing)
            );
        }
        let mut odd = press();
        odd["token"] = json!(null);
        assert!(matches!(
            read(&odd, &Places::default()),
            Interaction::Unanswerable("token")
        ));
    }

    #[test]
    fn a_member_without_permissions_has_none() {
        let mut odd = press();
        odd["member"]["permissions"] = json!(null);
        let Interaction::Click(_, click) = read(&odd, &Places::default()) else {
            panic!("it reads");
        };
        assert_eq!(click.member, Fact::Absent);
    }

    #[test]
    fn a_forms_fields_are_read_in_rows_and_in_labels() {
        let pressed = json!({"components": [
            {"type": 1, "components": [{"custom_id": "a", "value": "1"}]},
            {"type": 18, "component": {"custom_id": "b", "value": "2"}},
        ]});
        assert_eq!(
            fields(&pressed),
            [
                ("a".to_owned(), "1".to_owned()),
                ("b".to_owned(), "2".to_owned())
            ]
        );
    }
}
