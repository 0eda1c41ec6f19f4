//! What the role of requests may do, and the policies that keep it within its organisation, beside what the migrations gave.

use super::{Check, Examined};
use crate::Failure;
use crate::database::grants;
use std::collections::BTreeSet;

/// Rights or tables that one line names.
const NAMED: usize = 10;

/// The policy of every table with an organisation, written without spaces, casts and outer parentheses.
const POLICY: &str = "org=decode(current_setting('retrace.org',true),'hex')";

/// A right of the role: table, right, and column where it is for one.
pub(crate) type Grant = (String, String, Option<String>);

/// The rights that statements of a migration give the role.
pub(crate) fn granted(sql: &str) -> BTreeSet<Grant> {
    let lines = sql.lines().filter(|line| !line.trim_start().starts_with("--"));
    let sql = lines.collect::<Vec<_>>().join(" ");
    let mut granted = BTreeSet::new();
    for statement in sql.split(';') {
        let parts = statement.trim().strip_prefix("GRANT ").and_then(|rest| rest.split_once(" ON "));
        let Some((rights, rest)) = parts else { continue };
        let Some((tables, "retrace_hub")) = rest.split_once(" TO ").map(|(on, to)| (on, to.trim())) else {
            continue;
        };
        let (rights, columns) = match rights.split_once('(') {
            Some((right, columns)) => (right, listed(columns.trim_end().trim_end_matches(')'))),
            None => (rights, Vec::new()),
        };
        for table in listed(tables) {
            for right in listed(rights) {
                match columns.as_slice() {
                    [] => drop(granted.insert((table.clone(), right.clone(), None))),
                    columns => granted.extend(
                        columns.iter().map(|column| (table.clone(), right.clone(), Some(column.clone()))),
                    ),
                }
            }
        }
    }
    granted
}

fn listed(names: &str) -> Vec<String> {
    names.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

fn shown((table, right, column): &Grant) -> String {
    let column = column.as_ref().map(|column| format!(" ({column})")).unwrap_or_default();
    format!("{right}{column} ON {table}")
}

fn some(all: &[String]) -> String {
    let named = all.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    match all.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

fn statements(all: &[String], write: impl Fn(&String) -> String) -> String {
    let named = all.iter().take(NAMED).map(write).collect::<Vec<_>>().join(" ");
    if all.len() > NAMED { format!("{named} …") } else { named }
}

/// Rights of the role, or of everybody, that no migration gave; those that one gave and are gone; roles that it is a member of.
pub(super) async fn rights(examined: &Examined) -> Result<Vec<Check>, Failure> {
    let client = &examined.client;
    let applied = client.query("SELECT version FROM refinery_schema_history", &[]).await?;
    let applied: Vec<i32> = applied.iter().map(|row| row.get(0)).collect();
    let given = grants(&applied);
    let rows = client.query(include_str!("../../statements/doctor_rights.sql"), &[]).await?;
    let (mut had, mut wider, mut to_revoke) = (BTreeSet::new(), Vec::new(), Vec::new());
    for row in &rows {
        let grant: Grant = (row.get(0), row.get(1), row.get(2));
        let whole = (grant.0.clone(), grant.1.clone(), None);
        let (everybody, may_pass_on): (bool, bool) = (row.get(3), row.get(4));
        if everybody || may_pass_on || !(given.contains(&grant) || given.contains(&whole)) {
            let whom = if everybody { "PUBLIC" } else { "retrace_hub" };
            wider.push(format!("{} for {whom}", shown(&grant)));
            to_revoke.push(format!("{} FROM {whom}", shown(&grant)));
        }
        if !everybody {
            had.insert(grant);
        }
    }
    let is_had =
        |grant: &&Grant| had.contains(*grant) || had.contains(&(grant.0.clone(), grant.1.clone(), None));
    let missing: Vec<String> = given.iter().filter(|grant| !is_had(grant)).map(shown).collect();
    let roles = client
        .query(
            "SELECT g.rolname::text FROM pg_auth_members m JOIN pg_roles g ON g.oid = m.roleid
             WHERE m.member = 'retrace_hub'::regrole ORDER BY 1",
            &[],
        )
        .await?;
    let roles: Vec<String> = roles.iter().map(|row| row.get(0)).collect();
    let mut checks = Vec::new();
    if !wider.is_empty() {
        let found = format!("Rights are wider than the hub's migrations give: {}.", some(&wider));
        checks.push(Check::error(
            "rights",
            found,
            statements(&to_revoke, |right| format!("REVOKE {right};")),
        ));
    }
    if !roles.is_empty() {
        let found = format!("The role retrace_hub has the rights of {}.", some(&roles));
        let next = statements(&roles, |role| format!("REVOKE {role} FROM retrace_hub;"));
        checks.push(Check::error("rights", found, next));
    }
    if !missing.is_empty() {
        let found =
            format!("The role retrace_hub lacks rights that the hub's migrations give: {}.", some(&missing));
        let next = statements(&missing, |right| format!("GRANT {right} TO retrace_hub;"));
        checks.push(Check::error("rights", found, next));
    }
    if checks.is_empty() {
        checks.push(Check::ok(
            "rights",
            "The role of requests has the rights that the migrations give, and no other.",
        ));
    }
    Ok(checks)
}

/// Tables whose policy of row-level security is missing or another one, and policies beside it that let more through.
pub(super) async fn policies(examined: &Examined) -> Result<Vec<Check>, Failure> {
    let rows = examined
        .client
        .query(
            "SELECT c.relname::text, p.polname::text, p.polcmd = '*', p.polpermissive, p.polroles = '{0}'::oid[],
                 pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid)
             FROM pg_class c LEFT JOIN pg_policy p ON p.polrelid = c.oid
             WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
                 AND c.relname <> 'hub'
                 AND EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'org' AND NOT a.attisdropped)
             ORDER BY 1, 2",
            &[],
        )
        .await?;
    let is_ours = |expression: Option<String>| expression.is_some_and(|text| is_policy(&text));
    let (mut kept, mut tables) = (BTreeSet::new(), BTreeSet::new());
    let mut wrong = Vec::new();
    for row in &rows {
        let table: String = row.get(0);
        tables.insert(table.clone());
        let Some(name) = row.get::<_, Option<String>>(1) else { continue };
        let (all, permissive, everybody): (bool, bool, bool) = (row.get(2), row.get(3), row.get(4));
        let checked: Option<String> = row.get(6);
        let fits =
            all && permissive && everybody && is_ours(row.get(5)) && (checked.is_none() || is_ours(checked));
        if fits {
            kept.insert(table);
        } else if permissive {
            wrong.push(format!("{name} ON {table}"));
        }
    }
    let missing: Vec<String> = tables.difference(&kept).cloned().collect();
    let mut checks = Vec::new();
    if !wrong.is_empty() {
        let found = format!("Policies let through what the hub's do not: {}.", some(&wrong));
        checks.push(Check::error(
            "policies",
            found,
            statements(&wrong, |policy| format!("DROP POLICY {policy};")),
        ));
    }
    if !missing.is_empty() {
        let found = format!("The policy of_organisation is missing on {}.", some(&missing));
        let rule = "(org = decode(current_setting('retrace.org', true), 'hex'))";
        let make = |table: &String| {
            format!("CREATE POLICY of_organisation ON {table} USING {rule} WITH CHECK {rule};")
        };
        checks.push(Check::error("policies", found, statements(&missing, make)));
    }
    if checks.is_empty() {
        let found = format!("Each of {} tables shows its own organisation alone.", tables.len());
        checks.push(Check::ok("policies", found));
    }
    Ok(checks)
}

/// True for the condition of the hub's policy, as PostgreSQL writes it.
fn is_policy(expression: &str) -> bool {
    let text: String =
        expression.replace("::text", "").chars().filter(|letter| !letter.is_whitespace()).collect();
    text == POLICY || text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) == Some(POLICY)
}

#[cfg(test)]
mod tests {
    use super::{granted, is_policy};

    #[test]
    fn rights_are_read_as_migrations_give_them() {
        let sql = "-- GRANT ALL ON a TO retrace_hub;\nDO $$ BEGIN EXECUTE 'GRANT x TO y'; END $$;\n\
            GRANT SELECT, INSERT ON a,\n b TO retrace_hub;\nGRANT UPDATE (c, d) ON a TO retrace_hub;\nGRANT SELECT ON a TO z;";
        let column = |name: &str| ("a".to_owned(), "UPDATE".to_owned(), Some(name.to_owned()));
        let whole = |table: &str, right: &str| (table.to_owned(), right.to_owned(), None);
        let expected = [
            whole("a", "SELECT"),
            whole("a", "INSERT"),
            whole("b", "SELECT"),
            whole("b", "INSERT"),
            column("c"),
            column("d"),
        ];
        assert_eq!(granted(sql), expected.into_iter().collect());
    }

    #[test]
    fn one_condition_is_the_policy() {
        assert!(is_policy("(org = decode(current_setting('retrace.org'::text, true), 'hex'::text))"));
        assert!(!is_policy(
            "(org = decode(current_setting('retrace.org'::text, true), 'hex'::text)) OR true"
        ));
        assert!(!is_policy("true"));
    }
}
