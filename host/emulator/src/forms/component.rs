//! Components of messages: their forms, and how Discord gives them back.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::form::{Errors, Field, Shape, check_object, not_null, optional, required};
use crate::snowflake::Id;

pub(crate) const ROW: i64 = 1;
pub(crate) const BUTTON: i64 = 2;
pub(crate) const TEXT_SELECT: i64 = 3;
pub(crate) const TEXT_INPUT: i64 = 4;
const SECTION: i64 = 9;
const TEXT_DISPLAY: i64 = 10;
const THUMBNAIL: i64 = 11;
const GALLERY: i64 = 12;
const FILE: i64 = 13;
const SEPARATOR: i64 = 14;
const CONTAINER: i64 = 17;
pub(crate) const LABEL: i64 = 18;

/// Select menus: text, user, role, mentionable, channel.
pub(crate) const SELECTS: [i64; 5] = [3, 5, 6, 7, 8];

const LINK: i64 = 5;
const PREMIUM: i64 = 6;

pub(super) const ID: Field = optional("id", Shape::Integer(0, i32::MAX as i64));
pub(super) const TYPE: Field = required("type", Shape::Any);

const EMOJI: &[Field] = &[
    optional("id", Shape::Snowflake),
    optional("name", Shape::Text(0, 32)),
    optional("animated", Shape::Boolean),
];

const MEDIA: Shape = Shape::Object(&[required("url", Shape::Url(2048))]);

const BUTTON_FORM: &[Field] = &[
    TYPE,
    ID,
    required("style", Shape::Choice(&[1, 2, 3, 4, 5, 6])),
    optional("custom_id", Shape::Text(1, 100)),
    optional("label", Shape::Text(0, 80)),
    optional("disabled", Shape::Boolean),
    optional("url", Shape::Url(512)),
    optional("sku_id", Shape::Snowflake),
    optional("emoji", Shape::Object(EMOJI)),
];

const OPTION: &[Field] = &[
    required("label", Shape::Text(1, 100)),
    required("value", Shape::Text(1, 100)),
    optional("description", Shape::Text(0, 100)),
    optional("default", Shape::Boolean),
    optional("emoji", Shape::Object(EMOJI)),
];

const TEXT_SELECT_FORM: &[Field] = &[
    TYPE,
    ID,
    required("custom_id", Shape::Text(1, 100)),
    required("options", Shape::List(1, 25, &Shape::Object(OPTION))),
    optional("placeholder", Shape::Text(0, 150)),
    optional("min_values", Shape::Integer(0, 25)),
    optional("max_values", Shape::Integer(1, 25)),
    optional("disabled", Shape::Boolean),
    optional("required", Shape::Boolean),
];

const OTHER_SELECT_FORM: &[Field] = &[
    TYPE,
    ID,
    required("custom_id", Shape::Text(1, 100)),
    optional("placeholder", Shape::Text(0, 150)),
    optional("min_values", Shape::Integer(0, 25)),
    optional("max_values", Shape::Integer(1, 25)),
    optional("disabled", Shape::Boolean),
    optional("required", Shape::Boolean),
    optional("channel_types", Shape::List(0, 50, &Shape::Integer(0, 50))),
    optional("default_values", Shape::List(0, 25, &Shape::Any)),
];

const ROW_FORM: &[Field] = &[
    TYPE,
    ID,
    required("components", Shape::List(1, 5, &Shape::With(in_row))),
];
const TEXT_DISPLAY_FORM: &[Field] = &[TYPE, ID, required("content", Shape::Text(1, 4000))];
const SECTION_FORM: &[Field] = &[
    TYPE,
    ID,
    required("components", Shape::List(1, 3, &Shape::With(text_display))),
    required("accessory", Shape::With(accessory)),
];
const THUMBNAIL_FORM: &[Field] = &[
    TYPE,
    ID,
    required("media", MEDIA),
    optional("description", Shape::Text(0, 1024)),
    optional("spoiler", Shape::Boolean),
];
const GALLERY_ITEM: &[Field] = &[
    required("media", MEDIA),
    optional("description", Shape::Text(0, 1024)),
    optional("spoiler", Shape::Boolean),
];
const GALLERY_FORM: &[Field] = &[
    TYPE,
    ID,
    required("items", Shape::List(1, 10, &Shape::Object(GALLERY_ITEM))),
];
const FILE_FORM: &[Field] = &[
    TYPE,
    ID,
    required("file", MEDIA),
    optional("spoiler", Shape::Boolean),
];
const SEPARATOR_FORM: &[Field] = &[
    TYPE,
    ID,
    optional("divider", Shape::Boolean),
    optional("spacing", Shape::Choice(&[1, 2])),
];
const CONTAINER_FORM: &[Field] = &[
    TYPE,
    ID,
    optional("accent_color", Shape::Integer(0, 0xFF_FFFF)),
    optional("spoiler", Shape::Boolean),
    not_null("components", Shape::List(1, 40, &Shape::With(in_container))),
];

pub(crate) fn kind(component: &Value) -> i64 {
    component.get("type").and_then(Value::as_i64).unwrap_or(0)
}

fn one_of(component: &Value, allowed: &[i64], errors: &mut Errors) {
    let kind = kind(component);
    if !component.is_object() || !allowed.contains(&kind) {
        let listed: Vec<String> = allowed.iter().map(ToString::to_string).collect();
        let message = format!(
            "Value of field \"type\" must be one of ({}).",
            listed.join(", ")
        );
        errors.at("type", "UNION_TYPE_CHOICES", &message);
        return;
    }
    let form = match kind {
        ROW => ROW_FORM,
        BUTTON => BUTTON_FORM,
        TEXT_SELECT => TEXT_SELECT_FORM,
        SECTION => SECTION_FORM,
        TEXT_DISPLAY => TEXT_DISPLAY_FORM,
        THUMBNAIL => THUMBNAIL_FORM,
        GALLERY => GALLERY_FORM,
        FILE => FILE_FORM,
        SEPARATOR => SEPARATOR_FORM,
        CONTAINER => CONTAINER_FORM,
        _ => OTHER_SELECT_FORM,
    };
    check_object(component, form, errors);
    match kind {
        ROW => check_row(component, errors),
        BUTTON => check_button(component, errors),
        TEXT_SELECT => check_select(component, errors),
        CONTAINER if component.get("components").is_none() => errors.required("components"),
        _ => {}
    }
}

fn in_row(component: &Value, errors: &mut Errors) {
    one_of(component, &[BUTTON, 3, 5, 6, 7, 8], errors);
}

fn text_display(component: &Value, errors: &mut Errors) {
    one_of(component, &[TEXT_DISPLAY], errors);
}

fn accessory(component: &Value, errors: &mut Errors) {
    one_of(component, &[BUTTON, THUMBNAIL], errors);
}

fn in_container(component: &Value, errors: &mut Errors) {
    one_of(
        component,
        &[ROW, SECTION, TEXT_DISPLAY, GALLERY, FILE, SEPARATOR],
        errors,
    );
}

fn children(component: &Value) -> &[Value] {
    component
        .get("components")
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

fn check_row(row: &Value, errors: &mut Errors) {
    let inner = children(row);
    let selects = inner
        .iter()
        .filter(|inner| SELECTS.contains(&kind(inner)))
        .count();
    if selects > 0 && inner.len() > 1 {
        errors.at(
            "components",
            "COMPONENT_LAYOUT_WIDTH_EXCEEDED",
            "The specified component exceeds the maximum width",
        );
    }
}

fn check_button(button: &Value, errors: &mut Errors) {
    let has = |name: &str| button.get(name).is_some_and(|value| !value.is_null());
    match button.get("style").and_then(Value::as_i64) {
        Some(LINK) => {
            if !has("url") {
                errors.at("url", "BUTTON_COMPONENT_URL_REQUIRED", "A url is required");
            }
            if has("custom_id") {
                errors.at(
                    "custom_id",
                    "BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE",
                    "A custom id and url cannot both be specified",
                );
            }
        }
        Some(PREMIUM) | None => {}
        Some(_) => {
            if !has("custom_id") {
                errors.at(
                    "custom_id",
                    "BUTTON_COMPONENT_CUSTOM_ID_REQUIRED",
                    "A custom id is required",
                );
            }
            if has("url") {
                errors.at(
                    "url",
                    "BUTTON_COMPONENT_INVALID_URL",
                    "A url can only be set on a link button",
                );
            }
            let label = button
                .get("label")
                .and_then(Value::as_str)
                .unwrap_or_default();
            if label.is_empty() && !has("emoji") {
                errors.at(
                    "label",
                    "BUTTON_COMPONENT_LABEL_OR_EMOJI_REQUIRED",
                    "A label or an emoji is required",
                );
            }
        }
    }
}

fn check_select(select: &Value, errors: &mut Errors) {
    let mut seen = HashSet::new();
    let options = select.get("options").and_then(Value::as_array);
    for (index, option) in options.into_iter().flatten().enumerate() {
        if !seen.insert(option.get("value").and_then(Value::as_str)) {
            errors.within("options", |errors| {
                errors.within(index, |errors| {
                    errors.at(
                        "value",
                        "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED",
                        "The specified option value is already used",
                    );
                });
            });
        }
    }
    let least = select
        .get("min_values")
        .and_then(Value::as_u64)
        .unwrap_or(1);
    let most = select
        .get("max_values")
        .and_then(Value::as_u64)
        .unwrap_or(1);
    if least > most {
        errors.at(
            "min_values",
            "BASE_TYPE_BAD_INT",
            "Must not be more than max_values.",
        );
    }
}

/// Every component of a tree, outer before inner.
pub(crate) fn all(components: &[Value]) -> Vec<&Value> {
    let mut found = Vec::new();
    for component in components {
        found.push(component);
        found.extend(all(children(component)));
        if let Some(accessory) = component.get("accessory") {
            found.push(accessory);
        }
        if let Some(inner) = component.get("component") {
            found.push(inner);
        }
    }
    found
}

/// Checks the components of a message: with V2 any kind, else rows only.
pub(super) fn check_components(components: &Value, v2: bool, errors: &mut Errors) {
    let Some(list) = components.as_array() else {
        return;
    };
    let allowed: &[i64] = if v2 {
        &[
            ROW,
            SECTION,
            TEXT_DISPLAY,
            GALLERY,
            FILE,
            SEPARATOR,
            CONTAINER,
        ]
    } else {
        &[ROW]
    };
    for (index, component) in list.iter().enumerate() {
        errors.within(index, |errors| one_of(component, allowed, errors));
    }
    let everything = all(list);
    if v2 && everything.len() > 40 {
        errors.add("BASE_TYPE_MAX_LENGTH", "Must be 40 or fewer in length.");
    }
    if !v2 && list.len() > 5 {
        errors.add("BASE_TYPE_MAX_LENGTH", "Must be 5 or fewer in length.");
    }
    let text: usize = everything
        .iter()
        .filter(|component| kind(component) == TEXT_DISPLAY)
        .filter_map(|component| component.get("content").and_then(Value::as_str))
        .map(|content| content.chars().count())
        .sum();
    if text > 4000 {
        errors.add(
            "COMPONENT_MAX_TOTAL_TEXT_LENGTH",
            "The text of all components must be 4000 or fewer in length.",
        );
    }
    let mut seen = HashSet::new();
    for component in everything {
        if let Some(custom_id) = component.get("custom_id").and_then(Value::as_str)
            && !seen.insert(custom_id)
        {
            errors.add(
                "COMPONENT_CUSTOM_ID_DUPLICATED",
                "Component custom id cannot be duplicated",
            );
        }
    }
}

/// Gives components as Discord gives them back: numbered, with defaults, without nulls.
pub(crate) struct Normaliser<'a> {
    /// Finds a message's own attachment by its name.
    pub(crate) file_url: &'a dyn Fn(&str) -> Option<String>,
    /// The id that unfurled media get.
    pub(crate) media_id: Id,
    used: HashSet<i64>,
    next: i64,
}

impl<'a> Normaliser<'a> {
    pub(crate) fn new(file_url: &'a dyn Fn(&str) -> Option<String>, media_id: Id) -> Self {
        Self {
            file_url,
            media_id,
            used: HashSet::new(),
            next: 1,
        }
    }

    pub(crate) fn components(&mut self, components: &Value) -> Vec<Value> {
        let list: Vec<Value> = components.as_array().cloned().unwrap_or_default();
        for component in all(&list) {
            if let Some(id) = component
                .get("id")
                .and_then(Value::as_i64)
                .filter(|id| *id > 0)
            {
                self.used.insert(id);
            }
        }
        list.iter()
            .map(|component| self.component(component))
            .collect()
    }

    fn component(&mut self, component: &Value) -> Value {
        let kind = kind(component);
        let fields = component.as_object().into_iter().flatten();
        let mut object: Map<String, Value> = fields
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        if object.get("id").and_then(Value::as_i64).unwrap_or(0) == 0 {
            while self.used.contains(&self.next) {
                self.next += 1;
            }
            object.insert("id".to_owned(), json!(self.next));
            self.next += 1;
        }
        let mut default = |name: &str, value: Value| {
            object.entry(name).or_insert(value);
        };
        if SELECTS.contains(&kind) {
            default("min_values", json!(1));
            default("max_values", json!(1));
        }
        match kind {
            SEPARATOR => {
                default("divider", json!(true));
                default("spacing", json!(1));
            }
            CONTAINER => {
                default("accent_color", Value::Null);
                default("spoiler", json!(false));
            }
            THUMBNAIL => {
                default("description", Value::Null);
                default("spoiler", json!(false));
            }
            FILE => {
                default("spoiler", json!(false));
                default("name", Value::Null);
                default("size", Value::Null);
            }
            _ => {}
        }
        object.remove("required");
        for name in ["media", "file"] {
            if let Some(value) = object.get(name) {
                let value = self.media(value);
                object.insert(name.to_owned(), value);
            }
        }
        if let Some(Value::Array(items)) = object.get_mut("items") {
            for item in items {
                let media = self.media(&item["media"]);
                let spoiler = item["spoiler"].as_bool().unwrap_or(false);
                let description = item["description"].clone();
                *item = json!({"media": media, "spoiler": spoiler, "description": description});
            }
        }
        if let Some(emoji) = object.get_mut("emoji").and_then(Value::as_object_mut) {
            emoji.retain(|_, value| !value.is_null());
        }
        if let Some(inner) = object.get("components") {
            let list = inner.as_array().cloned().unwrap_or_default();
            let list: Vec<Value> = list.iter().map(|inner| self.component(inner)).collect();
            object.insert("components".to_owned(), json!(list));
        }
        if let Some(inner) = object.get("accessory").cloned() {
            let inner = self.component(&inner);
            object.insert("accessory".to_owned(), inner);
        }
        Value::Object(object)
    }

    fn media(&self, media: &Value) -> Value {
        let url = media.get("url").and_then(Value::as_str).unwrap_or_default();
        let url = url
            .strip_prefix("attachment://")
            .and_then(self.file_url)
            .unwrap_or_else(|| url.to_owned());
        json!({"id": self.media_id, "url": url, "proxy_url": url})
    }
}
