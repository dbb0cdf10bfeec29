//! Step 2: the tool's policy and its evaluator.

use dogu_tool::Verdict;

use crate::engine::decision::Answer;
use crate::engine::{Engine, ReasonKind, Request};

/// What the policy says of a call; see [`crate::tool_policy`] for the order.
pub(crate) fn answer(engine: &Engine, request: &Request<'_>) -> Option<Answer> {
    let name = &request.spec.name;
    let policy = engine.tool_policy(request.spec, request.source, request.trusted);
    if !policy.allowed {
        return Some(Answer::deny(
            ReasonKind::Disabled,
            format!("the tool {name} is switched off"),
        ));
    }
    if let Some(most) = policy.max_executions.filter(|most| request.executions >= *most) {
        let text =
            format!("{name} has run {} times in this session, and may {most}", request.executions);
        return Some(Answer::deny(ReasonKind::MaxExecutions, text));
    }
    let evaluator = engine.evaluators.get(name.as_str());
    match evaluator.map(|evaluator| evaluator.evaluate(&policy, request.input)) {
        Some(Verdict::Deny) => {
            let text = format!("the evaluator of {name} refuses this input");
            return Some(Answer::deny(ReasonKind::Evaluator, text));
        }
        Some(Verdict::Ask) => {
            let text = format!("the evaluator of {name} wants to be asked about this input");
            return Some(Answer::ask(ReasonKind::Evaluator, text));
        }
        Some(Verdict::Allow) | None => {}
    }
    if policy.auto_approve {
        let text = format!("the policy of {name} approves it");
        return Some(Answer::allow(ReasonKind::ToolPolicy, text));
    }
    let only_reads = request.spec.read_only && request.source.is_builtin();
    let confirm = policy.require_confirmation && !only_reads;
    let text = || format!("the policy of {name} wants it confirmed");
    confirm.then(|| Answer::ask(ReasonKind::ToolPolicy, text()))
}
