//! Before a turn: what is read of the live world, and who the turn is.

use std::collections::BTreeMap;
use std::sync::Arc;

use ostler_config::{ProfileConfig, Snowflake};
use ostler_store::{Origin, PersonId, Route, Row};

use super::prompt::Speaker;
use crate::authority::{
    LiveFacts, ProfileView, Refusal, Surface, ToolCatalog, TurnAuthority, derive,
};
use crate::channel::Channel;
use crate::facts::{Fact, MemberFacts};
use crate::rows::{self, RowContent};

/// Reads the facts that a row's authority depends on, and derives it.
///
/// # Errors
/// The reason why the row gets no turn.
pub(crate) async fn authority(
    row: &Row,
    config: &ProfileConfig,
    channel: &Arc<dyn Channel>,
    catalog: ToolCatalog,
) -> Result<(TurnAuthority, Speaker), Refusal> {
    let facts = LiveFacts {
        stop: Fact::Absent,
        people: people(row, channel).await,
        surface: surface(&row.route, channel),
        catalog,
    };
    let authority = derive(row, &row.route, &profile_view(config), &facts)?;
    Ok((authority, speaker(row, config, &facts.people)))
}

/// What of the configuration takes part.
fn profile_view(config: &ProfileConfig) -> ProfileView {
    ProfileView {
        owner: config
            .owner_id
            .as_ref()
            .and_then(|id| id.as_str().parse().ok()),
        discord_toolset: config.platform_toolsets.discord.clone(),
        cotal_toolset: config.platform_toolsets.cotal.clone(),
    }
}

/// The row's people, as members of its server now.
async fn people(row: &Row, channel: &Arc<dyn Channel>) -> BTreeMap<PersonId, Fact<MemberFacts>> {
    let (Origin::Person { id }, Some(guild)) = (&row.origin, &row.route.guild) else {
        return BTreeMap::new();
    };
    let fact = match channel.member(guild, id).await {
        Ok(Some(member)) => Fact::Known(member),
        Ok(None) => Fact::Absent,
        Err(error) => {
            tracing::warn!(row = %row.id, code = error.code(), "a member cannot be read");
            Fact::Unreadable(error.code())
        }
    };
    BTreeMap::from([(id.clone(), fact)])
}

fn surface(route: &Route, channel: &Arc<dyn Channel>) -> Fact<Surface> {
    match channel.own_id() {
        Some(_) => Fact::Known(Surface {
            route: route.clone(),
        }),
        None => Fact::Unreadable("discord-unavailable"),
    }
}

/// Whether a row's author is an operator: the owner, or one whom the profile allows.
fn speaker(
    row: &Row,
    config: &ProfileConfig,
    people: &BTreeMap<PersonId, Fact<MemberFacts>>,
) -> Speaker {
    let Origin::Person { id } = &row.origin else {
        return Speaker::Guest;
    };
    if is_operator(config, id, people.get(id).and_then(Fact::known)) {
        Speaker::Operator
    } else {
        Speaker::Guest
    }
}

/// A row's author, for people: `Ada (@ada)`.
pub(crate) fn author_name(row: &Row) -> String {
    match rows::read(&row.descriptor) {
        Ok(RowContent::NativeText(message)) => {
            format!("{} (@{})", message.display_name, message.username)
        }
        Err(_) => row.principal.0.clone(),
    }
}

/// What led to a row, the first cause first, for people.
pub(crate) fn causes(row: &Row) -> Vec<String> {
    row.causes
        .iter()
        .map(|cause| match (&cause.origin, &cause.version) {
            (Origin::Person { id }, _) => format!("person {id}"),
            (Origin::Peer { principal }, _) => format!("peer {principal}"),
            (Origin::Plugin { id }, Some(version)) => format!("plugin {id}@{version}"),
            (Origin::Plugin { id }, None) => format!("plugin {id}"),
            (Origin::Schedule { created_by }, _) => format!("schedule of {created_by}"),
            (Origin::System, _) => "the host".to_owned(),
        })
        .collect()
}

/// Whether a person is an operator of the profile. Without an owner nobody is.
pub(crate) fn is_operator(
    config: &ProfileConfig,
    person: &PersonId,
    member: Option<&MemberFacts>,
) -> bool {
    let Some(owner) = &config.owner_id else {
        return false;
    };
    let discord = &config.discord;
    let is_person = |id: &Snowflake| id.as_str() == person.as_str();
    is_person(owner)
        || discord.allowed_users.iter().any(is_person)
        || member.is_some_and(|member| {
            let has = |role: &Snowflake| member.roles.iter().any(|r| r.as_str() == role.as_str());
            discord.allowed_roles.iter().any(has)
        })
}
