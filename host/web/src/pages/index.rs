//! The first page: what runs. It is for everybody on this machine and shows nothing private.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse as _, Response};
use maud::html;

use super::layout::Page;
use crate::login::signed_in;
use crate::server::Shared;

pub(super) async fn show(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Response {
    let mut profiles = Vec::new();
    for state in &shared.profiles {
        profiles.push((state.profile(), state.model().await, state.is_connected()));
    }
    let session = signed_in(&shared, &headers);
    Page {
        title: "What runs".to_owned(),
        refresh: None,
        signed_in: session.as_ref(),
        body: html! {
            h1 { "Ostler is running" }
            @if let Some(emulator) = &shared.emulator {
                p {
                    "Discord is emulated. "
                    a href=(emulator) { "Open the emulator" }
                    " to write to the assistant; the host printed a link that signs you in."
                }
            }
            p {
                a href="/approvals" { "Approvals" }
                ": what waits for your answer. They need a login; the host printed a link."
            }
            table {
                caption { "Profiles" }
                thead {
                    tr {
                        th scope="col" { "Profile" }
                        th scope="col" { "Model" }
                        th scope="col" { "Discord" }
                    }
                }
                tbody {
                    @for (profile, model, is_connected) in &profiles {
                        tr {
                            th scope="row" { (profile) }
                            td { (model) }
                            td { (if *is_connected { "connected" } else { "not connected" }) }
                        }
                    }
                }
            }
            p { code { "ostler sessions list" } " shows what it did." }
        },
    }
    .into_response()
}
