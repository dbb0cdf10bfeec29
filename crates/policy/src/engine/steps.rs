//! The steps that each unit of a call passes.

use dogu_tool::{ANY_ADDRESS, OUTSIDE_SANDBOX, Verdict};

use crate::analysis::Found;
use crate::auto_approval::AutoApproval;
use crate::engine::decision::Answer;
use crate::engine::files::{Guard, shown};
use crate::engine::unit::Placed;
use crate::engine::{Engine, FileUnit, ReasonKind, Request, Sandbox, Unit, Use, policies, rules};
use crate::facts::CommandFacts;
use crate::public_address::check_public;
use crate::risk::Risk;
use crate::rule::{Pattern, Rule, Surroundings};

/// Judges the units of one call.
pub(crate) struct Judge<'a> {
    request: &'a Request<'a>,
    around: Surroundings<'a>,
    auto: AutoApproval,
    policy: Option<Answer>,
    /// Rules that may loosen.
    rules: Vec<&'a Rule>,
    /// Rules that only tighten.
    tightening: &'a [Rule],
    tool_forbidden: Option<Answer>,
}

impl<'a> Judge<'a> {
    pub(crate) fn new(
        engine: &'a Engine,
        request: &'a Request<'a>,
        around: Surroundings<'a>,
    ) -> Self {
        let (rules, tightening) = engine.rules(request.trusted);
        let strict = tightening.iter().filter(|rule| rule.verdict != Verdict::Allow);
        let tool_forbidden = rules::forbids_tool(rules.iter().copied(), &around)
            .or_else(|| rules::forbids_tool(strict, &around));
        Self {
            request,
            around,
            auto: engine.auto_approval(request.trusted),
            policy: policies::answer(engine, request),
            rules,
            tightening,
            tool_forbidden,
        }
    }

    /// Any no wins; otherwise the first step that answers decides.
    pub(crate) fn decide(&self, placed: &Placed<'_>) -> Answer {
        let guard = match &placed.unit {
            Unit::File(file) => Guard::of(file),
            _ => Guard::Free,
        };
        if let Guard::Refused(reason) = guard {
            return Answer { verdict: Verdict::Deny, reason };
        }
        if let Unit::Custom(OUTSIDE_SANDBOX, _) = placed.unit {
            return self.outside(placed);
        }
        let answers = [
            self.policy(&placed.unit, &guard),
            self.rules(placed, &guard),
            self.grants(placed, &guard),
            self.auto(placed, &guard),
        ];
        let mut answers: Vec<Answer> = answers.into_iter().flatten().collect();
        if let Some(at) = answers.iter().position(|answer| answer.verdict == Verdict::Deny) {
            return answers.swap_remove(at);
        }
        let first = answers.into_iter().next();
        self.limit(first.unwrap_or_else(|| self.otherwise(placed, &guard)), placed)
    }

    /// Nothing that was said before covers a run outside of the sandbox: no rule, no grant, no
    /// kind. A person sees the whole line and says yes to it, or not.
    fn outside(&self, placed: &Placed<'_>) -> Answer {
        let answers = [
            self.policy(&placed.unit, &Guard::Free),
            self.rules(placed, &Guard::Free),
            self.granted(&placed.unit, &Guard::Free),
        ];
        let refused = answers.into_iter().flatten().find(|answer| answer.verdict == Verdict::Deny);
        refused.unwrap_or_else(|| {
            Answer::ask(ReasonKind::Default, "it would run outside of the sandbox")
        })
    }

    /// Step 2.
    fn policy(&self, unit: &Unit<'_>, guard: &Guard) -> Option<Answer> {
        let answer = self.policy.as_ref()?;
        let reaches = answer.verdict != Verdict::Allow || rules::blanket_reaches(unit, guard);
        reaches.then(|| answer.clone())
    }

    /// Step 3.
    fn rules(&self, placed: &Placed<'_>, guard: &Guard) -> Option<Answer> {
        if let Some(answer) = &self.tool_forbidden {
            return Some(answer.clone());
        }
        let decides = self.deciding_rule(&placed.unit, guard);
        let strict = self.tightening.iter().filter(|rule| rule.verdict != Verdict::Allow);
        let tightens = rules::answer(strict, &placed.unit, guard, &self.around);
        let answer = match (decides, tightens) {
            (Some(decides), Some(tightens)) if tightens.verdict > decides.verdict => Some(tightens),
            (None, tightens) => tightens,
            (decides, _) => decides,
        };
        answer.or_else(|| self.covered(placed, guard))
    }

    fn deciding_rule(&self, unit: &Unit<'_>, guard: &Guard) -> Option<Answer> {
        rules::answer(self.rules.iter().copied(), unit, guard, &self.around)
    }

    /// What the commands of a line write inside the workspace is allowed along with them, where a
    /// rule allows every one of them by its words. What the shell writes is not: a rule for `echo`
    /// is none for a redirection.
    fn covered(&self, placed: &Placed<'_>, guard: &Guard) -> Option<Answer> {
        let line = placed.line?;
        if placed.is_network_of_line() && self.rules_allow_all(line) {
            return Some(Answer::allow(ReasonKind::Rule, "rules allow every command of the line"));
        }
        let Unit::File(file) = &placed.unit else { return None };
        let redirected = file.line.is_some_and(|(_, named)| named.redirected);
        let ordinary =
            *guard == Guard::Free && file.usage.changes() && !redirected && !is_root(file);
        if !ordinary || !self.rules_allow_all(line) {
            return None;
        }
        Some(Answer::allow(ReasonKind::Rule, "rules allow every command of the line"))
    }

    fn rules_allow_all(&self, line: &CommandFacts) -> bool {
        let words =
            || self.rules.iter().copied().filter(|r| matches!(r.pattern, Pattern::Execute(_)));
        let mut commands = line.analysis.commands.iter().filter(|found| !found.wrapper).peekable();
        commands.peek().is_some()
            && commands.all(|found| {
                let answer =
                    rules::answer(words(), &Unit::Command(found), &Guard::Free, &self.around);
                answer.is_some_and(|answer| answer.verdict == Verdict::Allow)
            })
    }

    /// Step 4.
    fn grants(&self, placed: &Placed<'_>, guard: &Guard) -> Option<Answer> {
        let answer = self.granted(&placed.unit, guard);
        let line = placed.line.filter(|_| placed.is_network_of_line());
        answer.or_else(|| line.and_then(|line| self.granted_line(line)))
    }

    /// Grants for every command of a line are one for what these are known to ask.
    fn granted_line(&self, line: &CommandFacts) -> Option<Answer> {
        let acts = |found: &&Found| found.risk > Risk::Safe && !found.wrapper;
        let mut acting = line.analysis.commands.iter().filter(acts).peekable();
        let is_granted = |found: &Found| {
            let answer = self.granted(&Unit::Command(found), &Guard::Free);
            answer.is_some_and(|answer| answer.verdict == Verdict::Allow)
        };
        (acting.peek().is_some() && acting.all(is_granted))
            .then(|| Answer::allow(ReasonKind::Grant, "its commands were granted"))
    }

    fn granted(&self, unit: &Unit<'_>, guard: &Guard) -> Option<Answer> {
        let mut first = None;
        for grant in self.request.grants() {
            let verdict = rules::verdict_on(&grant.rule, unit, guard, &self.around);
            let Some(verdict) = verdict else { continue };
            let answer = || rules::because(&grant.rule, verdict, ReasonKind::Grant);
            if verdict == Verdict::Deny {
                return Some(answer());
            }
            first.get_or_insert_with(answer);
        }
        first
    }

    /// Step 5.
    fn auto(&self, placed: &Placed<'_>, guard: &Guard) -> Option<Answer> {
        if matches!(placed.unit, Unit::Nothing) || !self.auto.enabled {
            return None;
        }
        let (approved, kind) = match &placed.unit {
            Unit::File(file) => self.auto_file(file, guard),
            Unit::Command(found) => {
                let mild = found.risk <= Risk::Caution && self.is_steady(placed.line);
                (self.auto.execute && mild, "commands that are not risky")
            }
            Unit::Network(url) => {
                (self.auto.network && check_public(url).is_ok(), "public addresses")
            }
            Unit::Mcp(..) => (self.auto.mcp && self.request.always_allow, "this server's tool"),
            Unit::Custom(..) | Unit::Nothing => (false, ""),
        };
        let text = || format!("{kind}: approved by the settings");
        approved.then(|| Answer::allow(ReasonKind::AutoApproval, text()))
    }

    fn auto_file(&self, file: &FileUnit<'_>, guard: &Guard) -> (bool, &'static str) {
        let free = *guard == Guard::Free;
        match file.usage {
            Use::Read => (free && self.auto.read, "reads inside the workspace"),
            Use::ReadSensitive => (false, ""),
            Use::Write => (free && self.auto.write, "writes inside the workspace"),
            Use::Delete => {
                (free && self.auto.write && !is_root(file), "writes inside the workspace")
            }
        }
    }

    /// No file of a workspace that nobody has trusted decides what the line does.
    fn is_steady(&self, line: Option<&CommandFacts>) -> bool {
        self.request.trusted || line.is_none_or(|line| line.steered_by.is_empty())
    }

    /// Step 6.
    fn otherwise(&self, placed: &Placed<'_>, guard: &Guard) -> Answer {
        match &placed.unit {
            Unit::File(file) => self.file_otherwise(file, guard),
            Unit::Command(found) => self.command_otherwise(found, placed.line),
            Unit::Network(url) => Answer::ask(ReasonKind::Default, network_reason(url)),
            Unit::Mcp(server, tool) => {
                let text = format!("{tool} of the MCP server {server} is not approved");
                Answer::ask(ReasonKind::Default, text)
            }
            Unit::Custom(name, _) => {
                Answer::ask(ReasonKind::Default, format!("{name} is not approved"))
            }
            Unit::Nothing if placed.unknown => {
                Answer::ask(ReasonKind::NotUnderstood, "nothing is known of the line")
            }
            Unit::Nothing if placed.line.is_none() && self.request.source.is_foreign() => {
                Answer::ask(ReasonKind::Default, "nobody can see what a tool from outside does")
            }
            Unit::Nothing => Answer::allow(ReasonKind::Harmless, "it does nothing to ask about"),
        }
    }

    fn file_otherwise(&self, file: &FileUnit<'_>, guard: &Guard) -> Answer {
        let reason = match guard {
            Guard::Stream => return Answer::allow(ReasonKind::Harmless, "it is no file"),
            Guard::Refused(reason) => {
                return Answer { verdict: Verdict::Deny, reason: reason.clone() };
            }
            Guard::Once(reason) | Guard::Exact(reason) | Guard::Named(reason) => reason.clone(),
            Guard::Free if file.usage == Use::Read && self.auto.read => {
                return Answer::allow(
                    ReasonKind::WorkspaceRead,
                    "it only reads inside the workspace",
                );
            }
            Guard::Free => {
                let path = file.facts.map(shown).unwrap_or_default();
                let text = format!("to {} {path} is not approved", file.usage.verb());
                return Answer::ask(ReasonKind::Default, text);
            }
        };
        Answer { verdict: Verdict::Ask, reason }
    }

    fn command_otherwise(&self, found: &Found, line: Option<&CommandFacts>) -> Answer {
        let name = found.words.first().map(ToString::to_string).unwrap_or_default();
        let safe = found.risk == Risk::Safe || (found.wrapper && found.risk <= Risk::Caution);
        if !safe {
            return Answer::ask(
                ReasonKind::Risk,
                format!("`{name}` {} ({})", found.reason, found.risk),
            );
        }
        if let Some(file) =
            line.and_then(|l| l.steered_by.first()).filter(|_| !self.is_steady(line))
        {
            let text = format!(
                "{} can decide what `{name}` does, and this workspace is not trusted",
                file.display()
            );
            return Answer::ask(ReasonKind::Untrusted, text);
        }
        Answer::allow(ReasonKind::SafeCommand, format!("`{name}` only looks"))
    }

    /// What no allowing step may pass: lines that were not understood, and, with the master
    /// switch off, everything that nobody was asked about.
    fn limit(&self, answer: Answer, placed: &Placed<'_>) -> Answer {
        if answer.verdict != Verdict::Allow {
            return answer;
        }
        if let Some(doubt) = placed.line.and_then(doubt) {
            return doubt;
        }
        if let Some(line) = placed.line.filter(|_| self.request.sandbox == Sandbox::Partial)
            && !line.analysis.only_looks()
        {
            let text =
                "the sandbox of this machine is partial, so whatever does more than look asks";
            return Answer::ask(ReasonKind::Default, text);
        }
        let harmless = matches!(answer.reason.kind, ReasonKind::Grant | ReasonKind::Harmless);
        if !self.auto.enabled && !harmless {
            return Answer::ask(ReasonKind::MasterSwitch, "auto-approval is switched off");
        }
        answer
    }
}

/// Why nothing of a line may be allowed.
fn doubt(line: &CommandFacts) -> Option<Answer> {
    let analysis = &line.analysis;
    if let Err(why) = &analysis.understood {
        let text = format!("the line is not fully understood: {why}");
        return Some(Answer::ask(ReasonKind::NotUnderstood, text));
    }
    let worst = analysis.commands.iter().map(|found| found.risk).max().unwrap_or_default();
    let text = || format!("the line as a whole is {}", analysis.risk);
    (analysis.risk > worst).then(|| Answer::ask(ReasonKind::NotUnderstood, text()))
}

fn is_root(file: &FileUnit<'_>) -> bool {
    file.facts.is_some_and(|facts| facts.root.as_deref() == Some(facts.real.as_path()))
}

fn network_reason(url: &str) -> String {
    if url == ANY_ADDRESS {
        return "it reaches the network".to_owned();
    }
    match check_public(url) {
        Ok(()) => format!("to ask {url} is not approved"),
        Err(why) => format!("to ask {url} is not approved: {why}"),
    }
}
