//! Errors of the API.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use ostler_registry::RegistryError;
use ostler_store::StoreError;
use serde_json::json;

use crate::view::ApprovalView;

/// An answer that says what went wrong: `{"error": {"code", "message"}}`.
pub(crate) fn error(status: StatusCode, code: &str, message: &str) -> ApiError {
    ApiError {
        status,
        code: code.to_owned(),
        message: message.to_owned(),
        approval: None,
    }
}

/// What went wrong.
pub(crate) struct ApiError {
    status: StatusCode,
    code: String,
    message: String,
    approval: Option<Box<ApprovalView>>,
}

impl ApiError {
    /// The same with the ask as it stands, under `approval`.
    pub(crate) fn with_approval(self, approval: ApprovalView) -> Self {
        Self {
            approval: Some(Box::new(approval)),
            ..self
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut body = json!({"error": {"code": self.code, "message": self.message}});
        if let Some(approval) = self.approval {
            body["approval"] = json!(approval);
        }
        (self.status, Json(body)).into_response()
    }
}

impl From<StoreError> for ApiError {
    fn from(failed: StoreError) -> Self {
        error(
            StatusCode::INTERNAL_SERVER_ERROR,
            failed.code(),
            &failed.to_string(),
        )
    }
}

impl From<RegistryError> for ApiError {
    fn from(failed: RegistryError) -> Self {
        let status = match &failed {
            RegistryError::NotInstalled { .. } => StatusCode::NOT_FOUND,
            _ => StatusCode::CONFLICT,
        };
        error(status, failed.code(), &failed.to_string())
    }
}
