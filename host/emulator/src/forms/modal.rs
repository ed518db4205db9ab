//! Modals: their form, and what a person may submit in one.

use serde_json::{Map, Value};

use super::component::{ID, LABEL, ROW, TEXT_INPUT, TYPE, all, kind};
use super::form::{Errors, Field, Shape, check_object, optional, required};
use crate::api::error::ApiError;

const MODAL: &[Field] = &[
    required("custom_id", Shape::Text(1, 100)),
    required("title", Shape::Text(1, 45)),
    required("components", Shape::List(1, 5, &Shape::With(top_level))),
];

const TEXT_INPUT_FORM: &[Field] = &[
    TYPE,
    ID,
    required("custom_id", Shape::Text(1, 100)),
    required("style", Shape::Choice(&[1, 2])),
    optional("label", Shape::Text(1, 45)),
    optional("value", Shape::Text(0, 4000)),
    optional("placeholder", Shape::Text(0, 100)),
    optional("required", Shape::Boolean),
    optional("min_length", Shape::Integer(0, 4000)),
    optional("max_length", Shape::Integer(1, 4000)),
];

const ROW_FORM: &[Field] = &[
    TYPE,
    ID,
    required(
        "components",
        Shape::List(1, 1, &Shape::With(labelled_input)),
    ),
];
const LABEL_FORM: &[Field] = &[
    TYPE,
    ID,
    required("label", Shape::Text(1, 45)),
    optional("description", Shape::Text(1, 100)),
    required("component", Shape::With(input)),
];
const TEXT_FORM: &[Field] = &[TYPE, ID, required("content", Shape::Text(1, 4000))];

fn top_level(component: &Value, errors: &mut Errors) {
    match kind(component) {
        ROW => check_object(component, ROW_FORM, errors),
        LABEL => check_object(component, LABEL_FORM, errors),
        10 => check_object(component, TEXT_FORM, errors),
        _ => errors.at(
            "type",
            "UNION_TYPE_CHOICES",
            "Value of field \"type\" must be one of (1, 10, 18).",
        ),
    }
}

fn input(component: &Value, errors: &mut Errors) {
    if kind(component) == TEXT_INPUT {
        check_object(component, TEXT_INPUT_FORM, errors);
    } else {
        let message = "Value of field \"type\" must be one of (4).";
        errors.at("type", "UNION_TYPE_CHOICES", message);
    }
}

fn labelled_input(component: &Value, errors: &mut Errors) {
    input(component, errors);
    if component.get("label").is_none_or(Value::is_null) {
        errors.required("label");
    }
}

/// Checks the data of a modal response.
pub(crate) fn check(data: &Value) -> Result<(), ApiError> {
    let mut errors = Errors::default();
    errors.within("data", |errors| {
        check_object(data, MODAL, errors);
        let list = data.get("components").and_then(Value::as_array);
        let mut seen = std::collections::HashSet::new();
        for component in all(list.map_or(&[], Vec::as_slice)) {
            if let Some(id) = component.get("custom_id").and_then(Value::as_str)
                && !seen.insert(id)
            {
                errors.at(
                    "components",
                    "COMPONENT_CUSTOM_ID_DUPLICATED",
                    "Component custom id cannot be duplicated",
                );
            }
        }
    });
    errors.finish()
}

/// The text of a submission that a person could make, or why they could not.
fn entered(input: &Value, fields: &Map<String, Value>) -> Result<String, String> {
    let custom_id = input["custom_id"].as_str().unwrap_or_default();
    let given = fields.get(custom_id).and_then(Value::as_str);
    let text = given
        .or_else(|| input["value"].as_str())
        .unwrap_or_default()
        .to_owned();
    let length = u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
    let needed = input["required"].as_bool().unwrap_or(true);
    if needed && text.is_empty() {
        return Err(format!("the field {custom_id} must be filled in"));
    }
    let least = input["min_length"].as_u64().unwrap_or(0);
    let most = input["max_length"].as_u64().unwrap_or(4000);
    if !text.is_empty() && !(least..=most).contains(&length) {
        return Err(format!(
            "the field {custom_id} takes {least} to {most} characters"
        ));
    }
    Ok(text)
}

/// The components of a submission of `modal`, as an interaction carries them.
pub(crate) fn submit(modal: &Value, fields: &Map<String, Value>) -> Result<Vec<Value>, String> {
    let list = modal["components"].as_array().cloned().unwrap_or_default();
    let everything = all(&list);
    let inputs = everything
        .iter()
        .filter(|component| kind(component) == TEXT_INPUT);
    let known: Vec<&str> = inputs
        .filter_map(|input| input["custom_id"].as_str())
        .collect();
    if let Some(unknown) = fields.keys().find(|name| !known.contains(&name.as_str())) {
        return Err(format!("the modal has no field {unknown}"));
    }
    let mut next = 0;
    let mut number = || {
        next += 1;
        next
    };
    let mut submitted = Vec::new();
    for component in &list {
        let outer = number();
        let value = |input: &Value, id: i32| -> Result<Value, String> {
            let text = entered(input, fields)?;
            Ok(serde_json::json!({
                "type": TEXT_INPUT, "id": id, "custom_id": input["custom_id"], "value": text,
            }))
        };
        match kind(component) {
            ROW => {
                let inner = value(&component["components"][0], number())?;
                submitted
                    .push(serde_json::json!({"type": ROW, "id": outer, "components": [inner]}));
            }
            LABEL => {
                let inner = value(&component["component"], number())?;
                submitted.push(serde_json::json!({"type": LABEL, "id": outer, "component": inner}));
            }
            other => submitted.push(serde_json::json!({"type": other, "id": outer})),
        }
    }
    Ok(submitted)
}
