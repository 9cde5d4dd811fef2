package dev.colony.core.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunProgress;
import dev.colony.agent.RunRequest;
import dev.colony.agent.Struggle;
import dev.colony.agent.Suspension;
import dev.colony.agent.Suspension.Approval;
import dev.colony.core.lifecycle.ActiveRun.Blocked;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What the runtime makes known of a run beside what its agent makes known: what it asks persons
 * for, their answers, what it waits for, and its struggles. All of it follows from the agent's
 * state, so that what a crash has kept from being made known is made known afterwards; {@link
 * #after} tells whether that has been done.
 *
 * @param request of the run
 * @param name of the event, see {@link RunProgress}
 * @param at when it came about, by the journal
 * @param about what of several things of one time it is about; may be empty
 * @param data of the event; its field {@code since} is {@code at}
 */
public record RunNotice(
    RunRequest request, String name, Instant at, String about, ObjectNode data) {

  /** The cause of a wait of a run that has nothing to do until an event comes. */
  private static final String IDLE = "IDLE";

  /** The cause of a wait of a run whose agent cannot be built where it is. */
  private static final String UNFIT = "UNFIT";

  private static final String NOTHING_TO_DO = "it has nothing to do";

  private static final String SINCE = "since";
  private static final String CAUSE = "cause";
  private static final String REASON = "reason";
  private static final String REQUEST = "request";

  /**
   * What there is to be known of the run at the head of an agent's queue, the oldest first; empty
   * where it waits for nothing and was given no answer.
   */
  public static List<RunNotice> of(AgentId agent, AgentSnapshot state) {
    if (over(state)) {
      return List.of();
    }
    RunRequest request = state.queue().getFirst().request();
    Optional<Blocked> blocked = state.active().flatMap(ActiveRun::blocked);
    List<RunNotice> notices = new ArrayList<>();
    state
        .active()
        .map(ActiveRun::grants)
        .ifPresent(grants ->
            Stream.concat(grants.approvals().values().stream(), grants.budget().stream())
                .forEach(answer -> notices.add(answered(request, answer))));
    blocked.ifPresent(wait -> blocked(notices, agent, request, wait));
    state.suspension().ifPresent(one -> suspended(notices, agent, request, blocked, one));
    notices.sort(Comparator.comparing(RunNotice::at));
    return notices;
  }

  /** The struggles of that run, as they are found at that time. */
  public static List<RunNotice> struggles(AgentSnapshot state, RunLimits limits, Instant at) {
    if (over(state) || state.active().isEmpty()) {
      return List.of();
    }
    RunRequest request = state.queue().getFirst().request();
    return RunStruggles.of(state, limits, at).stream()
        .map(one ->
            new RunNotice(
                request, one.kind().event(), at, "", one.toJson().put(SINCE, at.toString())))
        .toList();
  }

  private static boolean over(AgentSnapshot state) {
    return state.queue().isEmpty()
        || state.state().terminal()
        || state.active().flatMap(ActiveRun::ended).isPresent();
  }

  /** That the run's agent cannot be built on its node, as is found at that time. */
  public static Optional<RunNotice> unfit(AgentSnapshot state, String why, Instant at) {
    return state.queue().stream()
        .findFirst()
        .map(run -> waiting(run.request(), at, UNFIT, why, Optional.empty()));
  }

  /**
   * Whether it comes after another event of its name, in the order in which they came about; what
   * does not has been made known.
   *
   * @param last the data of the last event of that name that is stored
   */
  public boolean after(JsonNode last) {
    if (struggle().isPresent()) {
      return !last.path(REASON).equals(data.path(REASON));
    }
    if (unfit(data) && unfit(last)) {
      return !data.path(REASON).equals(last.path(REASON));
    }
    int since = at.compareTo(since(last));
    return since > 0 || since == 0 && about.compareTo(last.path(REQUEST).asText()) > 0;
  }

  /** What difficulty it is about; empty for none. */
  public Optional<Struggle.Kind> struggle() {
    return Stream.of(Struggle.Kind.values()).filter(kind -> kind.event().equals(name)).findFirst();
  }

  private static boolean unfit(JsonNode data) {
    return data.path(CAUSE).asText().equals(UNFIT);
  }

  private static Instant since(JsonNode data) {
    try {
      return Instant.parse(data.path(SINCE).asText());
    } catch (DateTimeException foreign) {
      return Instant.MIN;
    }
  }

  private static RunNotice answered(RunRequest request, Approval answer) {
    ObjectNode data = since(answer.at()).put(REQUEST, answer.request());
    data.put("granted", answer.granted()).put("by", answer.by());
    if (!answer.note().isEmpty()) {
      data.put("note", answer.note());
    }
    return new RunNotice(
        request, RunProgress.APPROVAL_ANSWERED, answer.at(), answer.request(), data);
  }

  private static void blocked(
      List<RunNotice> notices, AgentId agent, RunRequest request, Blocked wait) {
    if (wait.idle()) {
      notices.add(waiting(request, wait.since(), IDLE, NOTHING_TO_DO, wait.condition()));
      return;
    }
    asked(notices, agent, request, wait.until(), wait.reason(), wait.since());
    boolean onlyAsks =
        wait.until()
            .filter(
                until -> until.leaves().allMatch(ResumptionCondition.Approved.class::isInstance))
            .isPresent();
    if (!onlyAsks) {
      notices.add(
          new RunNotice(
              request,
              RunProgress.BLOCKED,
              wait.since(),
              "",
              wait(wait.since(), wait.reason(), wait.condition())));
    }
  }

  private static void suspended(
      List<RunNotice> notices,
      AgentId agent,
      RunRequest request,
      Optional<Blocked> blocked,
      Suspension one) {
    boolean knows =
        notices.stream().anyMatch(notice -> notice.name().equals(RunProgress.APPROVAL_ASKED));
    if (!knows) {
      asked(notices, agent, request, one.until(), one.reason(), one.at());
    }
    String reason =
        one.reason().isEmpty() && blocked.filter(Blocked::idle).isPresent()
            ? NOTHING_TO_DO
            : one.reason();
    notices.add(waiting(request, one.at(), one.cause().name(), reason, one.until()));
  }

  private static void asked(
      List<RunNotice> notices,
      AgentId agent,
      RunRequest request,
      Optional<ResumptionCondition> until,
      String reason,
      Instant since) {
    until.stream()
        .flatMap(ResumptionCondition::leaves)
        .filter(ResumptionCondition.Approved.class::isInstance)
        .map(leaf -> ((ResumptionCondition.Approved) leaf).request())
        .distinct()
        .sorted()
        .forEach(what -> {
          ObjectNode data = wait(since, reason, Optional.empty()).put(REQUEST, what);
          data.put("agentId", agent.persistenceId());
          notices.add(new RunNotice(request, RunProgress.APPROVAL_ASKED, since, what, data));
        });
  }

  private static RunNotice waiting(
      RunRequest request,
      Instant since,
      String cause,
      String reason,
      Optional<ResumptionCondition> until) {
    return new RunNotice(
        request, RunProgress.WAITING, since, "", wait(since, reason, until).put(CAUSE, cause));
  }

  private static ObjectNode wait(
      Instant since, String reason, Optional<ResumptionCondition> until) {
    ObjectNode data = since(since).put(REASON, reason);
    until.ifPresent(condition -> data.set("until", condition.toJson()));
    return data;
  }

  private static ObjectNode since(Instant at) {
    return JsonNodeFactory.instance.objectNode().put(SINCE, at.toString());
  }
}
