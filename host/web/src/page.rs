//! The first page: what runs.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use maud::{DOCTYPE, html};

use crate::server::Shared;

pub(crate) async fn index(State(shared): State<Arc<Shared>>) -> Response {
    let mut profiles = Vec::new();
    for state in &shared.profiles {
        profiles.push((state.profile(), state.model().await, state.is_connected()));
    }
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "Ostler" }
            }
            body {
                main {
                    h1 { "Ostler is running" }
                    @if let Some(emulator) = &shared.emulator {
                        p {
                            "Discord is emulated. "
                            a href=(emulator) { "Open the emulator" }
                            " to write to the assistant; the host printed a link that signs you in."
                        }
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
                }
            }
        }
    };
    (
        [(header::CONTENT_TYPE, "text/html; charset=utf-8")],
        page.into_string(),
    )
        .into_response()
}
