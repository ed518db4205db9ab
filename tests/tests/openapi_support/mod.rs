//! Holds requests and responses against Discord's OpenAPI description.

use std::collections::HashMap;
use std::sync::Mutex;

use jsonschema::{Draft, Validator};
use serde_json::{Value, json};

/// Names the file with the description.
const VARIABLE: &str = "OSTLER_DISCORD_OPENAPI";

/// Discord's description of its REST API.
pub(crate) struct Description {
    document: Value,
    validators: Mutex<HashMap<String, Validator>>,
}

impl Description {
    /// Reads the description that the environment names. Without one there is none, except in CI,
    /// where that is a failure.
    pub(crate) fn from_environment() -> Option<Self> {
        let Ok(path) = std::env::var(VARIABLE) else {
            assert!(std::env::var("CI").is_err(), "{VARIABLE} must be set in CI");
            return None;
        };
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
        let mut document: Value =
            serde_json::from_str(&text).unwrap_or_else(|e| panic!("{path}: {e}"));
        // It says that the codes of single fields are numbers; they are names, as Discord's
        // documentation shows (Reference, Error Messages).
        let codes = "/components/schemas/InnerErrors/properties/_errors/items";
        *document.pointer_mut(codes).unwrap() = json!({
            "type": "object",
            "properties": {"code": {"type": "string"}, "message": {"type": "string"}},
            "required": ["code", "message"],
        });
        Some(Self {
            document,
            validators: Mutex::default(),
        })
    }

    /// The operation of a path below `/api/v10`, and its template.
    fn operation(&self, method: &str, path: &str) -> Option<(String, &Value)> {
        let parts: Vec<&str> = path.split('/').collect();
        let mut best: Option<(usize, &String, &Value)> = None;
        for (template, operations) in self.document["paths"].as_object()? {
            let pattern: Vec<&str> = template.split('/').collect();
            let matches = pattern.len() == parts.len()
                && pattern
                    .iter()
                    .zip(&parts)
                    .all(|(p, part)| p.starts_with('{') || p == part);
            let literal = pattern.iter().filter(|part| !part.starts_with('{')).count();
            let known = operations.get(method.to_lowercase());
            if let Some(operation) = known.filter(|_| matches)
                && best.is_none_or(|(most, _, _)| literal > most)
            {
                best = Some((literal, template, operation));
            }
        }
        best.map(|(_, template, operation)| (template.clone(), operation))
    }

    fn follow<'a>(&'a self, value: &'a Value) -> &'a Value {
        match value.get("$ref").and_then(Value::as_str) {
            Some(reference) => {
                let pointer = reference.trim_start_matches('#');
                self.document.pointer(pointer).unwrap_or(&Value::Null)
            }
            None => value,
        }
    }

    fn validate(&self, name: String, schema: &Value, value: &Value) -> Result<(), String> {
        let mut validators = self.validators.lock().unwrap();
        let validator = validators.entry(name).or_insert_with(|| {
            let whole = json!({
                "allOf": [schema],
                "components": self.document["components"],
            });
            jsonschema::options()
                .with_draft(Draft::Draft202012)
                .should_validate_formats(true)
                .build(&whole)
                .unwrap_or_else(|error| panic!("the description cannot be used: {error}"))
        });
        let errors: Vec<String> = validator
            .iter_errors(value)
            .map(|error| format!("{} at {}", error, error.instance_path()))
            .collect();
        if errors.is_empty() {
            Ok(())
        } else {
            Err(errors.join("\n"))
        }
    }

    /// Whether a response is one that Discord may give. `path` is below `/api/v10`.
    pub(crate) fn check_response(
        &self,
        method: &str,
        path: &str,
        status: u16,
        body: Option<&Value>,
    ) -> Result<(), String> {
        let Some((template, operation)) = self.operation(method, path) else {
            return if status == 404 {
                Ok(())
            } else {
                Err("there is no such route".to_owned())
            };
        };
        let responses = &operation["responses"];
        let key = status.to_string();
        let wide = format!("{}XX", status / 100);
        let response = responses.get(&key).or_else(|| responses.get(&wide));
        let response = response.ok_or_else(|| format!("{status} is no answer of {template}"))?;
        let schema = self
            .follow(response)
            .pointer("/content/application~1json/schema");
        match (schema, body) {
            (None, None) => Ok(()),
            (None, Some(_)) => Err("there should be no body".to_owned()),
            (Some(_), None) => Err("there should be a body".to_owned()),
            (Some(schema), Some(body)) => {
                self.validate(format!("{method} {template} {status}"), schema, body)
            }
        }
    }

    /// Whether a request's JSON body is one that Discord may take.
    pub(crate) fn check_request(
        &self,
        method: &str,
        path: &str,
        body: &Value,
    ) -> Result<(), String> {
        let (template, operation) = self
            .operation(method, path)
            .ok_or_else(|| "there is no such route".to_owned())?;
        let request = self.follow(&operation["requestBody"]);
        match request.pointer("/content/application~1json/schema") {
            Some(schema) => self.validate(format!("{method} {template}"), schema, body),
            None if body.is_null() => Ok(()),
            None => Err("there should be no body".to_owned()),
        }
    }

    /// Whether a request's query has only parameters that Discord knows, with values that it may
    /// take, and all that it wants.
    pub(crate) fn check_query(&self, method: &str, path: &str, query: &str) -> Result<(), String> {
        let (template, operation) = self
            .operation(method, path)
            .ok_or_else(|| "there is no such route".to_owned())?;
        let parameters = operation["parameters"].as_array();
        let known: Vec<&Value> = parameters
            .into_iter()
            .flatten()
            .map(|parameter| self.follow(parameter))
            .filter(|parameter| parameter["in"] == "query")
            .collect();
        let mut given = Vec::new();
        for (name, text) in url_pairs(query) {
            let parameter = known.iter().find(|parameter| parameter["name"] == *name);
            let parameter = parameter.ok_or_else(|| format!("{template} has no query {name}"))?;
            let schema = &parameter["schema"];
            let value = match self.follow(schema)["type"].as_str() {
                Some("integer") => json!(text.parse::<i64>().map_err(|e| format!("{name}: {e}"))?),
                Some("boolean") => json!(text.parse::<bool>().map_err(|e| format!("{name}: {e}"))?),
                _ => json!(text),
            };
            self.validate(format!("{method} {template}?{name}"), schema, &value)?;
            given.push(name);
        }
        for parameter in known {
            let name = parameter["name"].as_str().unwrap_or_default();
            if parameter["required"] == true && !given.iter().any(|known| known == name) {
                return Err(format!("the query {name} is missing"));
            }
        }
        Ok(())
    }
}

/// The names and values of a query.
fn url_pairs(query: &str) -> Vec<(String, String)> {
    reqwest::Url::parse(&format!("http://localhost/?{query}"))
        .map(|url| url.query_pairs().into_owned().collect())
        .unwrap_or_default()
}
