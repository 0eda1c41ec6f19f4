//! The OpenAPI description of the routes. It is the default mode's: what the legacy mode adds is described where it is served.
//!
//! Two formats are our own, for what JSON Schema cannot say: `memory-path` and `memory-path-prefix` are NFC, without format
//! characters, and at most 1,024 bytes of UTF-8.

use crate::limits::{
    CONTENT_BYTES, DESCRIPTION_CHARACTERS, METADATA_KEY_CHARACTERS, METADATA_PAIRS,
    METADATA_VALUE_CHARACTERS, NAME_CHARACTERS, PAGE_DEFAULT, PAGE_MAX, PATH_BYTES,
};
use serde_json::{Value, json};

/// Every route: method, path, id of the operation, schema of the answer.
pub const OPERATIONS: &[(&str, &str, &str, &str)] = &[
    ("post", "/v1/memory_stores", "createStore", "MemoryStore"),
    ("get", "/v1/memory_stores", "listStores", "MemoryStorePage"),
    ("get", "/v1/memory_stores/{memory_store_id}", "getStore", "MemoryStore"),
    ("post", "/v1/memory_stores/{memory_store_id}", "updateStore", "MemoryStore"),
    ("patch", "/v1/memory_stores/{memory_store_id}", "patchStore", "MemoryStore"),
    ("delete", "/v1/memory_stores/{memory_store_id}", "deleteStore", "DeletedStore"),
    ("post", "/v1/memory_stores/{memory_store_id}/archive", "archiveStore", "MemoryStore"),
    ("post", "/v1/memory_stores/{memory_store_id}/memories", "createMemory", "Memory"),
    ("get", "/v1/memory_stores/{memory_store_id}/memories", "listMemories", "MemoryPage"),
    ("get", "/v1/memory_stores/{memory_store_id}/memories/{memory_id}", "getMemory", "Memory"),
    ("post", "/v1/memory_stores/{memory_store_id}/memories/{memory_id}", "updateMemory", "Memory"),
    ("patch", "/v1/memory_stores/{memory_store_id}/memories/{memory_id}", "patchMemory", "Memory"),
    ("delete", "/v1/memory_stores/{memory_store_id}/memories/{memory_id}", "deleteMemory", "DeletedMemory"),
    ("get", "/v1/memory_stores/{memory_store_id}/memory_versions", "listVersions", "MemoryVersionPage"),
    (
        "get",
        "/v1/memory_stores/{memory_store_id}/memory_versions/{memory_version_id}",
        "getVersion",
        "MemoryVersion",
    ),
    (
        "post",
        "/v1/memory_stores/{memory_store_id}/memory_versions/{memory_version_id}/redact",
        "redactVersion",
        "MemoryVersion",
    ),
];

/// Part of the rules for a name that a regular expression can express: no control characters.
const NAME_PATTERN: &str = r"^[^\u0000-\u001f\u007f-\u009f]+$";

/// Part of the rules for a path that a regular expression can express: one to twenty segments, none of them empty or
/// dots, without control characters and the two separators of lines. That it is NFC and without format characters is in
/// the format's name alone.
const PATH_PATTERN: &str = r"^(/(?!\.{1,2}(/|$))[^/\u0000-\u001f\u007f-\u009f\u2028\u2029]+){1,20}$";

/// The same for what listed paths begin with: segments of which each ends with a slash, or none.
const PREFIX_PATTERN: &str = r"^/((?!\.{1,2}/)[^/\u0000-\u001f\u007f-\u009f\u2028\u2029]+/){0,20}$";

/// The description, OpenAPI 3.1.
#[must_use]
pub fn openapi(version: &str) -> Value {
    let mut paths = json!({});
    for (method, path, id, answer) in OPERATIONS {
        let mut operation = json!({
            "operationId": id,
            "parameters": parameters(path, id),
            "responses": responses(answer),
        });
        if let Some(links) = links(answer) {
            operation["responses"]["200"]["links"] = links;
        }
        if let Some((body, required)) = body_of(id) {
            operation["requestBody"] = json!({
                "required": required,
                "content": { "application/json": { "schema": { "$ref": format!("#/components/schemas/{body}") } } },
            });
        }
        if *method == "patch" {
            operation["deprecated"] = true.into();
            operation["description"] = "Stands for the POST of the same path.".into();
        }
        paths[*path][*method] = operation;
    }
    json!({
        "openapi": "3.1.0",
        "info": { "title": "Memory Stores, served by Retrace", "version": version },
        "security": [{ "bearer": [] }, { "key": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "bearer": { "type": "http", "scheme": "bearer" },
                "key": { "type": "apiKey", "in": "header", "name": "x-api-key" },
            },
            "schemas": schemas(),
        },
    })
}

fn responses(answer: &str) -> Value {
    let content = |name: &str| json!({ "application/json": { "schema": { "$ref": format!("#/components/schemas/{name}") } } });
    let request_id = json!({ "request-id": { "required": true, "schema": { "type": "string", "pattern": "^req_[0-9a-f]{32}$" } } });
    let mut responses = json!({ "200": { "description": "Done.", "headers": request_id.clone(), "content": content(answer) } });
    for (status, meaning) in [
        ("400", "The request makes no sense as it stands."),
        ("401", "The key is missing or wrong."),
        ("403", "The request comes from another host or origin."),
        ("404", "There is no such thing."),
        ("405", "The path does not take that method; the header `allow` names those it takes."),
        ("409", "A memory is in the way, or is not what the caller expects."),
        ("413", "The body is too large."),
        ("500", "The server failed."),
        ("504", "The body did not arrive in time."),
        ("529", "The server is busy."),
    ] {
        let mut headers = request_id.clone();
        if status == "405" {
            headers["allow"] = json!({ "required": true, "schema": { "type": "string" } });
        }
        if status == "409" {
            headers["x-should-retry"] = json!({ "required": true, "schema": { "const": "false" } });
        }
        responses[status] =
            json!({ "description": meaning, "headers": headers, "content": content("Error") });
    }
    responses
}

/// Where the ids in an answer lead that are not called as the parameters they are for.
fn links(answer: &str) -> Option<Value> {
    let (store, version) = match answer {
        "Memory" => ("$response.body#/memory_store_id", "$response.body#/memory_version_id"),
        "MemoryVersionPage" => ("$response.body#/data/0/memory_store_id", "$response.body#/data/0/id"),
        _ => return None,
    };
    let parameters = json!({ "memory_store_id": store, "memory_version_id": version });
    let link = |to: &str| json!({ "operationId": to, "parameters": parameters });
    Some(json!({ "version": link("getVersion"), "redaction": link("redactVersion") }))
}

/// The schema of an operation's body, and whether there must be one. An update without one changes nothing.
fn body_of(id: &str) -> Option<(&'static str, bool)> {
    match id {
        "createStore" => Some(("CreateStore", true)),
        "updateStore" | "patchStore" => Some(("UpdateStore", false)),
        "createMemory" => Some(("CreateMemory", true)),
        "updateMemory" | "patchMemory" => Some(("UpdateMemory", false)),
        "archiveStore" | "redactVersion" => Some(("Nothing", false)),
        _ => None,
    }
}

fn parameters(path: &str, id: &str) -> Value {
    let mut parameters = vec![json!({
        "name": "anthropic-beta", "in": "header", "required": true,
        "schema": { "type": "string", "enum": [crate::BETA_MEMORY, crate::BETA_MANAGED_AGENTS] },
    })];
    for name in ["memory_store_id", "memory_id", "memory_version_id"] {
        if path.contains(&format!("{{{name}}}")) {
            parameters.push(json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string", "minLength": 1 } }));
        }
    }
    let mut query = |name: &str, schema: Value| {
        parameters.push(json!({ "name": name, "in": "query", "required": false, "schema": schema }));
    };
    let text = || json!({ "type": "string" });
    let list = matches!(id, "listStores" | "listMemories" | "listVersions");
    if list {
        query(
            "limit",
            json!({ "type": "integer", "minimum": 1, "maximum": PAGE_MAX, "default": PAGE_DEFAULT }),
        );
        query("page", json!({ "type": "string", "pattern": "^page_[A-Za-z0-9_-]+$" }));
    }
    if matches!(id, "listStores" | "listVersions") {
        for name in ["created_at[gte]", "created_at[lte]"] {
            query(name, json!({ "type": "string", "format": "date-time" }));
        }
    }
    if id == "listStores" {
        query("include_archived", json!({ "type": "boolean", "default": false }));
    }
    if matches!(
        id,
        "createMemory"
            | "updateMemory"
            | "patchMemory"
            | "getMemory"
            | "listMemories"
            | "listVersions"
            | "getVersion"
    ) {
        query("view", json!({ "type": "string", "enum": ["basic", "full"] }));
    }
    if id == "listMemories" {
        query(
            "path_prefix",
            json!({ "type": "string", "pattern": PREFIX_PATTERN, "maxLength": PATH_BYTES, "format": "memory-path-prefix" }),
        );
        query("depth", json!({ "type": "integer", "enum": [0, 1] }));
    }
    if id == "deleteMemory" {
        query("expected_content_sha256", hash());
    }
    if id == "listVersions" {
        query("operation", json!({ "type": "string", "enum": ["created", "modified", "deleted"] }));
        for name in ["memory_id", "session_id", "api_key_id", "service_account_id"] {
            query(name, text());
        }
    }
    parameters.into()
}

fn hash() -> Value {
    json!({ "type": "string", "pattern": "^[0-9a-f]{64}$" })
}

#[expect(clippy::needless_pass_by_value, reason = "made for one call, which reads better so")]
fn object(properties: Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required })
}

#[expect(clippy::needless_pass_by_value, reason = "made for one call, which reads better so")]
fn page_of(item: Value) -> Value {
    object(
        json!({ "data": { "type": "array", "items": item }, "next_page": { "type": ["string", "null"] } }),
        &["data", "next_page"],
    )
}

fn schemas() -> Value {
    let time = || json!({ "type": "string", "format": "date-time" });
    let maybe_time = || json!({ "type": ["string", "null"], "format": "date-time" });
    let reference = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    let name =
        || json!({ "type": "string", "minLength": 1, "maxLength": NAME_CHARACTERS, "pattern": NAME_PATTERN });
    let description = || json!({ "type": "string", "maxLength": DESCRIPTION_CHARACTERS });
    let value = || json!({ "type": "string", "maxLength": METADATA_VALUE_CHARACTERS });
    let key = || json!({ "minLength": 1, "maxLength": METADATA_KEY_CHARACTERS });
    let metadata = || json!({ "type": "object", "maxProperties": METADATA_PAIRS, "propertyNames": key(), "additionalProperties": value() });
    let path = || json!({ "type": "string", "pattern": PATH_PATTERN, "maxLength": PATH_BYTES, "format": "memory-path" });
    let content = || json!({ "type": "string", "maxLength": CONTENT_BYTES });
    let maybe = |schema: Value| json!({ "anyOf": [schema, { "type": "null" }] });
    let actors: Vec<Value> = [
        ("session_actor", "session_id"),
        ("api_actor", "api_key_id"),
        ("user_actor", "user_id"),
        ("service_account_actor", "service_account_id"),
    ]
    .iter()
    .map(|(kind, id)| object(json!({ "type": { "const": kind }, *id: { "type": "string" } }), &["type", id]))
    .collect();
    json!({
        "MemoryStore": object(
            json!({
                "id": { "type": "string", "pattern": "^memstore_" }, "type": { "const": "memory_store" },
                "name": name(), "description": description(), "metadata": metadata(),
                "created_at": time(), "updated_at": time(), "archived_at": maybe_time(),
            }),
            &["id", "type", "name", "description", "metadata", "created_at", "updated_at", "archived_at"],
        ),
        "Memory": object(
            json!({
                "id": { "type": "string", "pattern": "^mem_" }, "type": { "const": "memory" },
                "memory_store_id": { "type": "string" }, "memory_version_id": { "type": "string", "pattern": "^memver_" },
                "path": path(), "content": { "type": ["string", "null"] }, "content_size_bytes": { "type": "integer" },
                "content_sha256": hash(), "created_at": time(), "updated_at": time(),
            }),
            &["id", "type", "memory_store_id", "memory_version_id", "path", "content", "content_size_bytes",
              "content_sha256", "created_at", "updated_at"],
        ),
        "MemoryPrefix": object(
            json!({ "type": { "const": "memory_prefix" }, "path": { "type": "string", "pattern": "/$" } }),
            &["type", "path"],
        ),
        "MemoryVersion": object(
            json!({
                "id": { "type": "string", "pattern": "^memver_" }, "type": { "const": "memory_version" },
                "memory_store_id": { "type": "string" }, "memory_id": { "type": "string", "pattern": "^mem_" },
                "operation": { "enum": ["created", "modified", "deleted"] }, "path": maybe(path()),
                "content": { "type": ["string", "null"] }, "content_size_bytes": { "type": ["integer", "null"] },
                "content_sha256": maybe(hash()), "created_by": maybe(reference("Actor")), "created_at": time(),
                "redacted_at": maybe_time(), "redacted_by": maybe(reference("Actor")),
            }),
            &["id", "type", "memory_store_id", "memory_id", "operation", "path", "content", "content_size_bytes",
              "content_sha256", "created_by", "created_at", "redacted_at", "redacted_by"],
        ),
        "Actor": { "oneOf": actors },
        "MemoryStorePage": page_of(reference("MemoryStore")),
        "MemoryPage": page_of(json!({ "oneOf": [reference("Memory"), reference("MemoryPrefix")] })),
        "MemoryVersionPage": page_of(reference("MemoryVersion")),
        "DeletedStore": object(json!({ "id": { "type": "string" }, "type": { "const": "memory_store_deleted" } }), &["id", "type"]),
        "DeletedMemory": object(json!({ "id": { "type": "string" }, "type": { "const": "memory_deleted" } }), &["id", "type"]),
        "CreateStore": object(
            json!({ "name": name(), "description": maybe(description()), "metadata": maybe(metadata()) }),
            &["name"],
        ),
        "UpdateStore": object(
            json!({
                "name": maybe(name()), "description": maybe(description()),
                "metadata": maybe(json!({ "type": "object", "propertyNames": key(), "additionalProperties": { "anyOf": [value(), { "type": "null" }] } })),
            }),
            &[],
        ),
        "CreateMemory": object(json!({ "path": path(), "content": content() }), &["path", "content"]),
        "UpdateMemory": object(
            json!({
                "path": maybe(path()), "content": maybe(content()),
                "precondition": maybe(object(
                    json!({ "type": { "const": "content_sha256" }, "content_sha256": hash() }),
                    &["type", "content_sha256"],
                )),
            }),
            &[],
        ),
        "Nothing": { "type": "object" },
        "Error": object(
            json!({
                "type": { "const": "error" },
                "error": object(
                    json!({
                        "type": { "type": "string" }, "message": { "type": "string" },
                        "conflicting_path": { "type": "string" }, "conflicting_memory_id": { "type": "string" },
                    }),
                    &["type", "message"],
                ),
                "request_id": { "type": "string" },
            }),
            &["type", "error", "request_id"],
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reference_leads_somewhere() {
        let description = openapi("0");
        let text = description.to_string();
        for (_, rest) in
            text.match_indices("#/components/schemas/").map(|(at, found)| (at, &text[at + found.len()..]))
        {
            let name = rest.split('"').next().unwrap_or_default();
            assert!(description["components"]["schemas"][name].is_object(), "{name}");
        }
        assert_eq!(description["paths"].as_object().map(serde_json::Map::len), Some(8));
    }
}
