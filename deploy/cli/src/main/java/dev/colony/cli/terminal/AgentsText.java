package dev.colony.cli.terminal;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentRun;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunProgress;
import dev.colony.agent.RunStats;
import dev.colony.agent.Struggle;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.client.AgentView;
import dev.colony.agent.client.AgentView.BlockedView;
import dev.colony.agent.client.AgentView.PendingApproval;
import dev.colony.agent.client.AgentView.RunView;
import dev.colony.agent.client.AgentView.SuspensionView;
import dev.colony.agent.client.StepView;
import dev.colony.agent.client.StepView.ActionView;
import dev.colony.blackboard.DeadLetter;
import dev.colony.client.DeadLetters;
import dev.colony.client.directory.DirectoryEntry.Lineage;
import dev.colony.server.AgentsReader;
import dev.colony.server.ShownAgent;
import dev.colony.server.ShownAgent.ShownCapability;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the agents commands print for people. Values are cut, and nothing acts on the terminal. */
public final class AgentsText {

  private static final int IN_A_LINE = 80;
  private static final int SUMMARY = 160;
  private static final int WHOLE = 2_000;

  private AgentsText() {}

  public static String table(List<ShownAgent> agents) {
    Table table = new Table("agent", "state", "kind", "runs", "since", "why");
    agents.forEach(one ->
        table.row(
            one.id(),
            one.state(),
            one.listed().entry().blueprint().kind(),
            one.openRuns(),
            one.listed().entry().since().truncatedTo(ChronoUnit.SECONDS),
            why(one).map(why -> Printable.beginning(why, IN_A_LINE)).orElse("")));
    return table.text();
  }

  /** Why it is in its state, or else what the last run that events started has failed for. */
  private static Optional<String> why(ShownAgent agent) {
    return agent
        .reason()
        .or(() ->
            agent.failure().map(run -> "run %s has failed: %s".formatted(run.run(), run.reason())));
  }

  /** Trees, each child indented beneath its parent. */
  public static String trees(List<AgentsReader.ShownTree> trees) {
    StringBuilder text = new StringBuilder();
    trees.forEach(tree -> tree(text, tree, 0));
    return text.toString().stripTrailing();
  }

  private static void tree(StringBuilder text, AgentsReader.ShownTree tree, int depth) {
    ShownAgent agent = tree.agent();
    String name = depth == 0 ? agent.id().persistenceId() : agent.id().name();
    String runs = agent.openRuns() == 0 ? "" : "  " + count(agent.openRuns(), "open run");
    String why = agent.reason().map(one -> "  " + Printable.beginning(one, IN_A_LINE)).orElse("");
    text.append("%s%s  %s%s%s%n".formatted("  ".repeat(depth), name, agent.state(), runs, why));
    tree.children().forEach(child -> tree(text, child, depth + 1));
  }

  public static String whole(
      ShownAgent agent, List<ShownCapability> capabilities, List<StepView> steps) {
    AgentBlueprint blueprint = agent.listed().entry().blueprint();
    StringBuilder text = new StringBuilder(agent.id().persistenceId());
    line(text, "state", agent.state() + agent.reason().map(why -> ": " + why).orElse(""));
    agent.suspension().ifPresent(one -> suspension(text, one));
    agent
        .lost()
        .ifPresent(log ->
            line(text, "lost", "colony lost-events continue, close or restore " + agent.id()));
    agent
        .asks()
        .forEach(request ->
            line(
                text,
                "asks",
                "%s: colony approve %s %s, or colony deny"
                    .formatted(request, agent.id(), request)));
    line(text, "kind", blueprint.kind().name());
    line(text, "home", "placement unit " + agent.listed().entry().unit());
    line(text, "entered", agent.listed().entry().since().toString());
    agent.listed().entry().lineage().ifPresent(lineage -> line(text, "parent", parent(lineage)));
    line(text, "policy", blueprint.policy().type() + " v" + blueprint.policy().version());
    agent
        .journal()
        .ifPresentOrElse(
            known -> journal(text, known), () -> line(text, "journal", "not started yet"));
    agent
        .failure()
        .ifPresent(run ->
            line(
                text,
                "failed",
                "run %s, which events have started, at %s: %s"
                    .formatted(run.run(), run.at(), run.reason())));
    for (ShownCapability capability : capabilities) {
      capability(text, capability);
    }
    if (!steps.isEmpty()) {
      text.append("%n  last steps".formatted());
      steps.forEach(step -> text.append("%n    %s".formatted(step(step))));
    }
    return text.toString();
  }

  private static void suspension(StringBuilder text, SuspensionView suspension) {
    line(
        text,
        "since",
        "%s, cause %s"
            .formatted(suspension.since(), suspension.cause().name().toLowerCase(Locale.ROOT)));
    line(text, "until", suspension.until().map(ConditionText::of).orElse("it is resumed"));
  }

  private static String parent(Lineage lineage) {
    return lineage
        .parent()
        .map(parent ->
            "%s, at depth %d; %s"
                .formatted(
                    parent,
                    lineage.depth(),
                    switch (lineage.onParentStop()) {
                      case STOP -> "stops with it";
                      case DETACH -> "goes on without it";
                    }))
        .orElse("detached from its parent; of the tree of " + lineage.root());
  }

  private static void journal(StringBuilder text, AgentView known) {
    line(
        text,
        "journal",
        "%s, incarnation %d on %s"
            .formatted(count(known.sequenceNr(), "event"), known.incarnation(), known.node()));
    for (int i = 0; i < known.runs().size(); i++) {
      RunView run = known.runs().get(i);
      line(
          text,
          i == 0 ? "runs" : "",
          "%s in %s, asked for by %s%s"
              .formatted(
                  run.runId(),
                  run.namespace(),
                  run.requestedBy(),
                  run.cancelled().map(why -> "; to be cancelled: " + why).orElse("")));
      run.stats().ifPresent(stats -> line(text, "", open(run, stats)));
    }
  }

  private static String open(RunView run, RunStats stats) {
    return "  %s, %s%s, %,d tokens, cost %s%s%s"
        .formatted(
            count(stats.steps(), "step"),
            count(stats.modelCalls(), "model call"),
            stats.models().isEmpty() ? "" : " of " + String.join(", ", stats.models()),
            stats.usage().promptTokens() + stats.usage().completionTokens(),
            stats.cost().toPlainString(),
            run.sessionId().map(session -> ", session " + session).orElse(""),
            run.blocked().map(blocked -> "; " + blocked(blocked)).orElse(""));
  }

  private static String blocked(BlockedView blocked) {
    return blocked.idle()
        ? "idle"
        : "blocked: %s %s".formatted(blocked.reason(), waiting(blocked)).strip();
  }

  private static String waiting(BlockedView blocked) {
    String agents =
        blocked.blockingAgentIds().isEmpty() ? "" : "waits for " + blocked.blockingAgentIds();
    return blocked.until().map(until -> "waits for " + ConditionText.of(until)).orElse(agents);
  }

  private static void capability(StringBuilder text, ShownCapability capability) {
    line(
        text,
        "can",
        "%s (%s v%d)%s%s"
            .formatted(
                capability.key(),
                capability.type(),
                capability.version(),
                capability.active() ? "" : ", put away",
                capability.unknown().map(why -> ": " + why).orElse("")));
    for (ActionDescription action : capability.actions()) {
      line(
          text,
          "",
          "  %s  %s%s"
              .formatted(
                  action.key(),
                  Printable.beginning(action.summary(), SUMMARY),
                  action.planned() ? "" : "  (not planned)"));
    }
  }

  /** Something that an agent asks a person for, and how to answer, on a line. */
  public static String approval(PendingApproval asked, String again) {
    return Printable.of(
        "%s waits for a person%s; answer with: colony approve %s %s%s, or colony deny"
            .formatted(
                asked.agentId(),
                asked.reason().isEmpty() ? "" : ": " + asked.reason(),
                asked.agentId(),
                asked.request(),
                again));
  }

  /** What a run has come to: a text as it is, other JSON in several lines. */
  public static String output(AgentRun run) {
    return Printable.lines(
        run.output().isTextual() ? run.output().textValue() : run.output().toPrettyString());
  }

  /** Something that a run made known, or its end, on a line. */
  public static String progress(RunProgress event) {
    String what =
        event
            .end()
            .map(run -> run.error().orElseGet(() -> run.output().toString()))
            .orElseGet(() ->
                Struggle.Kind.named(event.name())
                    ? event.data().path("reason").asText()
                    : Printable.beginning(event.data().toString(), SUMMARY));
    return Printable.of(
        "%s  %s  %s".formatted(event.at().truncatedTo(ChronoUnit.MILLIS), event.name(), what));
  }

  /** One step on a line; of several actions each on a line of its own behind it. */
  public static String step(StepView step) {
    StringBuilder text = new StringBuilder();
    text.append(step.sequenceNr()).append("  ").append(step.at().truncatedTo(ChronoUnit.MILLIS));
    text.append("  ").append(step.run().map(Object::toString).orElse("?"));
    text.append(" #").append(step.step());
    step.tookMillis().ifPresent(took -> text.append("  %,d ms".formatted(took)));
    long tokens = step.usage().promptTokens() + step.usage().completionTokens();
    if (tokens > 0) {
      text.append("  %,d tokens".formatted(tokens));
    }
    if (!step.models().isEmpty()) {
      text.append("  ").append(String.join(", ", step.models()));
    }
    boolean several = step.actions().size() > 1;
    if (several) {
      text.append("  %,d actions".formatted(step.actions().size()));
    } else {
      step.actions().forEach(action -> text.append(action(action)));
    }
    boolean byAction = !several && step.actions().stream().anyMatch(ActionView::blocked);
    step.blocked()
        .map(blocked -> byAction ? waiting(blocked) : blocked(blocked))
        .ifPresent(why -> text.append("  ").append(why));
    // The error of an action stands with the action.
    Optional.of(step)
        .filter(one -> several || one.actions().stream().allMatch(ActionView::success))
        .flatMap(StepView::error)
        .ifPresent(
            error -> text.append("  ").append(error.kind()).append(": ").append(error.message()));
    Stream<String> behind =
        several ? step.actions().stream().map(AgentsText::action) : Stream.empty();
    return Stream.concat(Stream.of(text.toString()), behind.map(line -> "    " + line))
        .map(Printable::of)
        .collect(Collectors.joining(System.lineSeparator()));
  }

  private static String action(ActionView action) {
    String what = action.success() ? action.output().toString() : action.error().orElse("");
    return "  "
        + action.key()
        + ' '
        + action.status()
        + "  "
        + Printable.beginning(what, IN_A_LINE);
  }

  public static String deadLetterLines(DeadLetter letter) {
    return "%s  %s  %s  %s%n  %s"
        .formatted(
            DeadLetters.name(letter),
            letter.at().truncatedTo(ChronoUnit.SECONDS),
            letter.request().recipient(),
            Printable.of(letter.request().key()),
            Printable.beginning(letter.reason(), SUMMARY));
  }

  /** One dead letter with all that is known of it, a line each. */
  public static String deadLetter(DeadLetter letter) {
    StringBuilder text = new StringBuilder(DeadLetters.name(letter));
    line(text, "agent", letter.request().recipient());
    line(text, "scope", letter.request().scope().path());
    line(text, "key", letter.request().key());
    line(text, "reason", letter.reason());
    line(
        text,
        "failed",
        "%s from %s to %s"
            .formatted(count(letter.deliveries(), "time"), letter.first(), letter.last()));
    line(text, "at", letter.at().toString());
    text.append("%n  %-9s ".formatted("request"))
        .append(Printable.beginning(letter.request().value().toString(), WHOLE));
    return text.toString();
  }

  private static String count(long count, String what) {
    return "%,d %s%s".formatted(count, what, count == 1 ? "" : "s");
  }

  private static void line(StringBuilder text, String name, String value) {
    text.append("%n  %-9s %s".formatted(name, Printable.of(value)));
  }

  /** What a suspended agent waits for, in words. */
  static final class ConditionText {

    /** Names of agents or pages that are spelled out. */
    private static final int MOST = 5;

    private ConditionText() {}

    /** Fits behind "until". */
    static String of(ResumptionCondition condition) {
      return switch (condition) {
        case ResumptionCondition.ChildrenCompleted children ->
            some(children.agents(), "agents") + " have ended";
        case ResumptionCondition.ResourceAvailable room -> "a node has room";
        case ResumptionCondition.PagesAvailable pages ->
            some(pages.pages(), "pages") + " are in a cache";
        case ResumptionCondition.Immediate now -> "at once";
        case ResumptionCondition.Custom custom -> "the signal " + custom.key();
        case ResumptionCondition.At at -> at.time().toString();
        case ResumptionCondition.Event event ->
            "a write to %s in %s".formatted(event.pattern().pattern(), event.scope());
        case ResumptionCondition.Approved approved -> "an answer to " + approved.request();
        case ResumptionCondition.All all -> joined(all.of(), " and ");
        case ResumptionCondition.AnyOf any -> joined(any.of(), " or ");
      };
    }

    private static String joined(List<ResumptionCondition> parts, String by) {
      return parts.stream()
          .map(part -> part.parts().size() > 1 ? "(" + of(part) + ")" : of(part))
          .collect(Collectors.joining(by));
    }

    private static String some(List<?> names, String what) {
      return names.size() > MOST
          ? "%,d %s".formatted(names.size(), what)
          : names.stream().map(Object::toString).collect(Collectors.joining(", "));
    }
  }
}
