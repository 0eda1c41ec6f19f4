//! Comments and proposals that a machine made and that are not here: the database was restored from an older backup, or a standby took
//! over that lagged.

use super::{Caller, invalid, number};
use crate::Failure;
use crate::audit;
use crate::database::Scoped;
use crate::doctor::count;
use retrace_model::ProposalId;
use retrace_sync::messages as m;
use retrace_sync::said::{AskSaid, LostSaid};

/// What the audit log notes of it; the doctor reads it there.
pub(crate) const LOST: &str = "lost_said";

/// Names what is not here of what the asking machine made. A comment that somebody removed was not lost.
pub(crate) async fn said(scoped: &Scoped, caller: &Caller, request: AskSaid) -> Result<LostSaid, Failure> {
    if request.comments.len() + request.proposals.len() > m::MAX_VERSIONS {
        return Err(invalid("A thousand comments and proposals at most are asked for."));
    }
    let (client, org, machine) = (scoped.client()?, &caller.org.0[..], &caller.machine.0[..]);
    let mut lost = LostSaid::default();
    for comment in &request.comments {
        let row = client
            .query_one(
                "SELECT EXISTS (SELECT 1 FROM comments WHERE org = $1 AND number = $2 AND by_machine = $3 AND at = $4)
                     OR EXISTS (SELECT 1 FROM audit WHERE org = $1 AND at >= $4 AND action = 'remove_comment'
                         AND split_part(subject, ' ', 2) = $2::text)",
                &[&org, &number(comment.number)?, &machine, &comment.at],
            )
            .await?;
        if !row.get::<_, bool>(0) {
            lost.comments.push(comment.number);
        }
    }
    for id in &request.proposals {
        let proposal = ProposalId::parse(id).map_err(|_| invalid("This is not the id of a proposal."))?;
        let there = "SELECT EXISTS (SELECT 1 FROM proposals WHERE org = $1 AND id = $2 AND by_machine = $3)";
        if !client.query_one(there, &[&org, &&proposal.0[..], &machine]).await?.get::<_, bool>(0) {
            lost.proposals.push(id.clone());
        }
    }
    let counted = [(lost.comments.len(), "comment"), (lost.proposals.len(), "proposal")];
    let counted = counted.iter().filter(|(number, _)| *number > 0);
    let counted: Vec<String> =
        counted.map(|(number, what)| count(i64::try_from(*number).unwrap_or(i64::MAX), what)).collect();
    if !counted.is_empty() {
        audit::note(scoped, caller, LOST, &counted.join(", ")).await?;
    }
    Ok(lost)
}
