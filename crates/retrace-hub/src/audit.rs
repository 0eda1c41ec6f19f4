//! The audit log: who did and saw what. A row is written in the transaction of the act, and nothing changes it afterwards.
//!
//! Rows name ids, roles, keys of the policy: no content, no path, no token.

use crate::Failure;
use crate::database::{Scoped, now};
use crate::requests::Caller;
use retrace_model::OrgId;

/// How long a subject may be, in bytes.
const SUBJECT: usize = 500;

/// A row about to be written.
pub(crate) struct Entry<'a> {
    pub(crate) action: &'a str,
    /// Ids of what it concerns.
    pub(crate) subject: &'a str,
    /// What was so before, of an act that changes it.
    pub(crate) before: Option<&'a str>,
    /// What is so now.
    pub(crate) after: Option<&'a str>,
    pub(crate) refused: bool,
}

/// Notes what a machine did or saw.
pub(crate) async fn note(
    scoped: &Scoped,
    caller: &Caller,
    action: &str,
    subject: &str,
) -> Result<(), Failure> {
    let entry = Entry { action, subject, before: None, after: None, refused: false };
    write(scoped, caller.org, Some(caller), &entry).await
}

/// Notes what a machine changed, with what was so before.
pub(crate) async fn note_change(
    scoped: &Scoped,
    caller: &Caller,
    action: &str,
    subject: &str,
    before: &str,
    after: &str,
) -> Result<(), Failure> {
    let entry = Entry { action, subject, before: Some(before), after: Some(after), refused: false };
    write(scoped, caller.org, Some(caller), &entry).await
}

/// Notes a request that was refused. Its own transaction is gone, so this takes another.
pub(crate) async fn note_refused(
    scoped: &Scoped,
    caller: &Caller,
    action: &str,
    kind: &str,
) -> Result<(), Failure> {
    let entry = Entry { action, subject: kind, before: None, after: None, refused: true };
    write(scoped, caller.org, Some(caller), &entry).await
}

/// Notes what a hub process did by itself.
pub(crate) async fn note_of_hub(
    scoped: &Scoped,
    org: OrgId,
    action: &str,
    subject: &str,
) -> Result<(), Failure> {
    let entry = Entry { action, subject, before: None, after: None, refused: false };
    write(scoped, org, None, &entry).await
}

/// The same, of a change.
pub(crate) async fn note_change_of_hub(
    scoped: &Scoped,
    org: OrgId,
    action: &str,
    before: &str,
    after: &str,
) -> Result<(), Failure> {
    let entry = Entry { action, subject: "", before: Some(before), after: Some(after), refused: false };
    write(scoped, org, None, &entry).await
}

/// Notes what whoever starts a hub process was given, before any request is served.
pub(crate) async fn note_at_start(
    client: &deadpool_postgres::Object,
    org: OrgId,
    action: &str,
    subject: &str,
) -> Result<(), Failure> {
    let insert = "INSERT INTO audit (org, at, action, subject, outcome, verified)
         VALUES ($1, $2, $3, $4, 'done', false)";
    client.execute(insert, &[&&org.0[..], &now(), &action, &subject]).await?;
    Ok(())
}

async fn write(
    scoped: &Scoped,
    org: OrgId,
    caller: Option<&Caller>,
    entry: &Entry<'_>,
) -> Result<(), Failure> {
    let client = scoped.client()?;
    let insert =
        "INSERT INTO audit (org, at, machine, person, action, subject, before, after, outcome, verified)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    let subject = entry.subject.get(..SUBJECT).unwrap_or(entry.subject);
    let machine = caller.map(|caller| caller.machine.0.to_vec());
    let person = caller.and_then(|caller| caller.person.clone());
    let verified = caller.is_some_and(|caller| caller.verified.is_some());
    let outcome = if entry.refused { "refused" } else { "done" };
    client
        .execute(
            insert,
            &[
                &&org.0[..],
                &now(),
                &machine,
                &person,
                &entry.action,
                &subject,
                &entry.before,
                &entry.after,
                &outcome,
                &verified,
            ],
        )
        .await?;
    Ok(())
}
