//! Stores whose memory is about the same repository.

use super::project_id;
use crate::Failure;
use crate::database::Scoped;
use crate::requests::{Caller, KeptOut, beside_others, id16, invalid, store_id};
use crate::routes::Hub;
use retrace_model::{MachineId, Sha256, StoreId};
use retrace_sync::messages::Done;
use retrace_sync::together::{OfProject, Project, ProjectStore, Projects};

/// Says of which project a store of the asking machine is.
pub(crate) async fn of_project(
    hub: &Hub,
    scoped: &Scoped,
    caller: &Caller,
    request: OfProject,
) -> Result<Done, Failure> {
    let store = store_id(&request.store)?;
    let client = scoped.client()?;
    let project: Option<Vec<u8>> = match request.remote.as_deref() {
        None => None,
        Some(remote) => {
            let remote =
                Sha256::from_hex(remote).ok_or_else(|| invalid("A hash has 64 hexadecimal digits."))?;
            let id: [u8; 16] = hub.keys.random()?;
            let name: String = request.name.chars().filter(|letter| !letter.is_control()).take(100).collect();
            beside_others(scoped, caller.org).await?;
            let name = KeptOut::name(hub, scoped, caller.org, &name).await?;
            client
                .execute(
                    "INSERT INTO projects (org, id, remote, name) VALUES ($1, $2, $3, $4)
                     ON CONFLICT (org, remote) DO UPDATE SET name = $4",
                    &[&&caller.org.0[..], &&id[..], &&remote.0[..], &name],
                )
                .await?;
            let row = client
                .query_one(
                    "SELECT id FROM projects WHERE org = $1 AND remote = $2",
                    &[&&caller.org.0[..], &&remote.0[..]],
                )
                .await?;
            Some(row.get(0))
        }
    };
    client
        .execute(
            "UPDATE stores SET project = $4 WHERE org = $1 AND store = $2 AND machine = $3
                 AND project IS DISTINCT FROM $4",
            &[&&caller.org.0[..], &&store.0[..], &&caller.machine.0[..], &project],
        )
        .await?;
    Ok(Done {})
}

/// Projects, and the stores of each.
pub(crate) async fn projects(scoped: &Scoped, caller: &Caller) -> Result<Projects, Failure> {
    let rows = scoped
        .client()?
        .query(include_str!("../../../statements/projects.sql"), &[&&caller.org.0[..]])
        .await?;
    let mut projects: Vec<Project> = Vec::new();
    for row in &rows {
        let id = project_id(&row.get::<_, Vec<u8>>(0));
        let store = ProjectStore {
            machine: MachineId(id16(row, 2)?).to_string(),
            machine_name: row.get(3),
            store: StoreId(id16(row, 4)?).to_string(),
            store_name: row.get(5),
        };
        match projects.last_mut() {
            Some(project) if project.id == id => project.stores.push(store),
            _ => projects.push(Project { id, name: row.get(1), stores: vec![store] }),
        }
    }
    Ok(Projects { projects })
}
