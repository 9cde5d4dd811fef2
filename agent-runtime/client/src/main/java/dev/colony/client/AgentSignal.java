package dev.colony.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.BlueprintChange;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunId;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.blackboard.protocol.KeyTemplate;
import dev.colony.blackboard.protocol.LifecycleSignal;
import dev.colony.blackboard.protocol.LifecycleSignalProtocol;
import dev.colony.blackboard.protocol.Protocol;
import dev.colony.blackboard.value.Text;
import dev.colony.blackboard.value.ValueRules;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.core.lifecycle.AgentCommand.LifecycleCommand;
import dev.colony.core.lifecycle.Intent;
import java.time.DateTimeException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Something that an agent is told from outside, as opposed to asked to do: an entry that is sent to
 * its inbox. It is delivered at least once, and the agent makes of the second time the same as of
 * the first; only a {@link Custom} one that comes again after a crash may be taken for another.
 */
public sealed interface AgentSignal {

  /** The longest reason that is kept, in characters; the rest of a longer one is cut off. */
  int MAX_REASON = 1_000;

  AgentId agent();

  /** Why, for people; may be empty. */
  String reason();

  /** One that is given by {@link #write writing} an entry to the agent's own scope. */
  sealed interface Given extends AgentSignal {

    /** Where its entry stands: in the agent's own scope, or in a namespace of it. */
    default Scope scope() {
      return agent().scope();
    }

    String key();

    default ObjectNode value() {
      return JsonNodeFactory.instance.objectNode().put("reason", reason());
    }

    /** The entry to send to the agent's inbox; {@link AgentSignal#of} reads it back. */
    default Write write() {
      return Write.of(key(), value());
    }
  }

  /**
   * What a caller or the runtime wants of an agent, as the core decides it.
   *
   * @param namespace where the entries of the run stand that is to end; empty for all else
   */
  record Wanted(AgentId agent, Optional<String> namespace, Intent intent) implements Given {

    public Wanted {
      Objects.requireNonNull(agent, "agent");
      Objects.requireNonNull(intent, "intent");
    }

    @Override
    public Scope scope() {
      return in(agent, namespace);
    }

    @Override
    public String reason() {
      return switch (intent) {
        case Intent.Suspend suspend -> suspend.reason();
        case Intent.Resume resume -> resume.reason();
        case Intent.ChangeState change -> change.reason();
        case Intent.Approve approve -> approve.note();
        case Intent.Cancel cancel -> cancel.reason();
        case Intent.Rehome rehome -> rehome.reason();
        case Intent.Revise revise -> revise.reason();
        case Intent.Rewind rewind -> rewind.reason();
      };
    }

    @Override
    public String key() {
      return switch (intent) {
        case Intent.Suspend suspend -> about(LifecycleSignal.SUSPEND);
        case Intent.Resume resume -> about(LifecycleSignal.RESUME);
        case Intent.ChangeState change -> about(LifecycleSignal.valueOf(change.command().name()));
        case Intent.Approve approve -> new SuspensionProtocol().approvalKey(approve.request());
        case Intent.Cancel cancel ->
            new RunSignals.CancelRunProtocol().cancelKey(cancel.run().value());
        case Intent.Revise revise -> new RunSignals.ReviseProtocol().reviseKey(agent.name());
        case Intent.Rewind rewind -> new RunSignals.RewindProtocol().rewindKey(rewind.run());
        case Intent.Rehome rehome ->
            throw new IllegalStateException("an agent is not moved by way of its inbox");
      };
    }

    private String about(LifecycleSignal signal) {
      return new LifecycleSignalProtocol().signalKey(agent.name(), signal);
    }

    @Override
    public ObjectNode value() {
      ObjectNode json = Given.super.value();
      if (intent instanceof Intent.Suspend suspend) {
        suspend.until().ifPresent(condition -> json.set("until", condition.toJson()));
      } else if (intent instanceof Intent.Approve approve) {
        json.put("granted", approve.granted()).put("by", approve.by());
      } else if (intent instanceof Intent.Revise revise) {
        json.set("change", revise.change().toJson());
      } else if (intent instanceof Intent.Rewind rewind) {
        json.put("step", rewind.step()).put("attempt", rewind.attempt());
      }
      return json;
    }
  }

  /** The agent is told about its life; without a condition where it is to suspend. */
  static Wanted lifecycle(AgentId agent, LifecycleSignal signal, String reason) {
    String why = given(reason);
    Intent intent =
        switch (signal) {
          case SUSPEND -> new Intent.Suspend(SuspensionCause.EXPLICIT, why, Optional.empty());
          case RESUME -> new Intent.Resume(OptionalLong.empty(), why);
          case STOP, PAGES_EVICTED, PAGES_AVAILABLE ->
              new Intent.ChangeState(LifecycleCommand.valueOf(signal.name()), why);
        };
    return new Wanted(agent, Optional.empty(), intent);
  }

  /**
   * The agent is to put its state away.
   *
   * <p>The constructor throws {@link IllegalArgumentException} if the agent may not wait for that.
   *
   * @param until what ends it by itself; empty if only a resumption by a caller does
   */
  static Wanted suspend(AgentId agent, Optional<ResumptionCondition> until, String reason) {
    until.ifPresent(condition -> condition.check(agent));
    return new Wanted(
        agent,
        Optional.empty(),
        new Intent.Suspend(SuspensionCause.EXPLICIT, given(reason), until));
  }

  /**
   * A person has granted or denied something that the agent asked for.
   *
   * @param request what, as the agent named it
   * @param note what else the person says
   */
  static Wanted approve(AgentId agent, String request, boolean granted, String by, String note) {
    new ResumptionCondition.Approved(request);
    Text.check("the name of who answers", by);
    return new Wanted(
        agent, Optional.empty(), new Intent.Approve(request, granted, by, given(note)));
  }

  /** The agent is to live by another blueprint. */
  static Wanted revise(AgentId agent, BlueprintChange change, String reason) {
    return new Wanted(agent, Optional.empty(), new Intent.Revise(change, given(reason)));
  }

  /**
   * The agent is to execute its last run again.
   *
   * @param step from which on
   * @param attempt that it is to be
   */
  static Wanted rewind(AgentId agent, RunId run, int step, int attempt, String reason) {
    return new Wanted(
        agent, Optional.empty(), new Intent.Rewind(run, step, attempt, given(reason)));
  }

  /**
   * A run is to end as cancelled.
   *
   * @param namespace where the run's entries stand
   */
  static Wanted cancel(AgentId agent, String namespace, RunId run, String reason) {
    agent.scope().namespace(namespace);
    return new Wanted(agent, Optional.of(namespace), new Intent.Cancel(run, given(reason)));
  }

  /** The condition of a suspension holds; of any other than the one that lasts it says nothing. */
  record ConditionMet(AgentId agent, long suspension, String reason) implements Given {

    public ConditionMet {
      Objects.requireNonNull(agent, "agent");
      reason = described(reason);
    }

    @Override
    public String key() {
      return new SuspensionProtocol().metKey(suspension);
    }
  }

  /** Something has happened that the application calls by a name of its own. */
  record Custom(AgentId agent, String name, String reason) implements Given {

    public Custom {
      Objects.requireNonNull(agent, "agent");
      new ResumptionCondition.Custom(name);
      reason = given(reason);
    }

    @Override
    public String key() {
      return new SuspensionProtocol().customKey(name);
    }
  }

  /**
   * A child of the agent has stopped or failed: what waits for it may go on.
   *
   * @param agent the parent
   * @param reason the error of a child that failed
   */
  record ChildEnded(AgentId agent, AgentId child, AgentState state, String reason)
      implements AgentSignal {

    public ChildEnded {
      Objects.requireNonNull(child, "child");
      Objects.requireNonNull(state, "state");
      reason = described(reason);
    }
  }

  /**
   * The signal that a message in an agent's inbox is; empty if it is none, names something that
   * there cannot be, breaks one of the {@link ValueRules}, or stands in a scope that is neither the
   * agent's own nor the directory.
   */
  static Optional<AgentSignal> of(InboxMessage.Request message) {
    try {
      return read(message);
    } catch (IllegalArgumentException | DateTimeException malformed) {
      return Optional.empty();
    }
  }

  private static Optional<AgentSignal> read(InboxMessage.Request message) {
    AgentId agent = AgentId.parse(message.recipient());
    Optional<AgentSignal> ended =
        AgentDirectory.ended(message)
            .map(one ->
                new ChildEnded(
                    agent,
                    one.getKey(),
                    one.getValue().state(),
                    one.getValue().reason().orElse("")));
    if (ended.isPresent() || !message.scope().equals(in(agent, message.scope().namespace()))) {
      return ended;
    }
    if (ValueRules.fault("it", message.value()).isPresent()) {
      return Optional.empty();
    }
    String reason = message.value().path("reason").asText();
    if (message.scope().namespace().isEmpty()) {
      return aboutLife(agent, message, reason)
          .or(() -> aboutBlueprint(agent, message, reason))
          .or(() -> aboutRewind(agent, message, reason))
          .or(() -> aboutSuspension(agent, message, reason));
    }
    return new RunSignals.CancelRunProtocol()
        .cancelledId(message.key())
        .map(id -> cancel(agent, message.scope().namespace().get(), new RunId(id), reason));
  }

  /** Whether it asks for the cancellation of a run, as far as its key says. */
  static boolean cancels(InboxMessage.Request message) {
    return new RunSignals.CancelRunProtocol().cancelledId(message.key()).isPresent();
  }

  private static Optional<AgentSignal> aboutLife(
      AgentId agent, InboxMessage.Request message, String reason) {
    return new LifecycleSignalProtocol()
        .signal(message.key())
        .filter(given -> given.agent().equals(Optional.of(agent.name())))
        .map(given ->
            given.signal() == LifecycleSignal.SUSPEND
                ? suspend(agent, until(message.value()), reason)
                : lifecycle(agent, given.signal(), reason));
  }

  private static Optional<AgentSignal> aboutBlueprint(
      AgentId agent, InboxMessage.Request message, String reason) {
    return new RunSignals.ReviseProtocol()
        .revised(message.key())
        .filter(agent.name()::equals)
        .map(name ->
            revise(agent, BlueprintChange.fromJson(message.value().path("change")), reason));
  }

  private static Optional<AgentSignal> aboutRewind(
      AgentId agent, InboxMessage.Request message, String reason) {
    return new RunSignals.RewindProtocol()
        .rewound(message.key())
        .map(run ->
            rewind(
                agent,
                run,
                message.value().path("step").asInt(),
                message.value().path("attempt").asInt(),
                reason));
  }

  private static Optional<ResumptionCondition> until(JsonNode value) {
    return value.has("until")
        ? Optional.of(ResumptionCondition.fromJson(value.path("until")))
        : Optional.empty();
  }

  private static Optional<AgentSignal> aboutSuspension(
      AgentId agent, InboxMessage.Request message, String reason) {
    SuspensionProtocol protocol = new SuspensionProtocol();
    Optional<AgentSignal> approval =
        protocol
            .approvedRequest(message.key())
            .map(request ->
                approve(
                    agent,
                    request,
                    message.value().path("granted").asBoolean(),
                    message.value().path("by").asText(),
                    reason));
    return approval
        .or(() -> protocol.custom(message.key()).map(name -> new Custom(agent, name, reason)))
        .or(() ->
            protocol
                .metSuspension(message.key())
                .map(number -> new ConditionMet(agent, number, reason)));
  }

  private static Scope in(AgentId agent, Optional<String> namespace) {
    return namespace.map(agent.scope()::namespace).orElse(agent.scope());
  }

  /** A caller that gives a reason which cannot be stored is told so. */
  private static String given(String reason) {
    return Text.head(Text.check("the reason", reason == null ? "" : reason), MAX_REASON);
  }

  private static String described(String reason) {
    return Text.head(Text.wellFormed(reason == null ? "" : reason), MAX_REASON);
  }

  /**
   * What a suspended agent may be told besides the signals of its life, on its own scope: what a
   * person said to something that it asked for, {@code approval:{request}}; that something of its
   * own naming has happened, {@code custom:{key}}; and that the condition of one of its suspensions
   * holds, {@code met:{suspension}}.
   */
  public static final class SuspensionProtocol implements Protocol {

    private static final String REQUEST = "request";
    private static final String KEY = "key";
    private static final String SUSPENSION = "suspension";

    private static final KeyTemplate APPROVAL = KeyTemplate.of("approval:{request}");
    private static final KeyTemplate CUSTOM = KeyTemplate.of("custom:{key}");
    private static final KeyTemplate MET = KeyTemplate.of("met:{suspension}");

    public String approvalKey(String request) {
      return APPROVAL.format(Map.of(REQUEST, request));
    }

    public String customKey(String key) {
      return CUSTOM.format(Map.of(KEY, key));
    }

    public String metKey(long suspension) {
      return MET.format(Map.of(SUSPENSION, Long.toString(suspension)));
    }

    /** What is approved or denied, if this is the key of an approval. */
    public Optional<String> approvedRequest(String key) {
      return APPROVAL.parse(key).map(parts -> parts.get(REQUEST));
    }

    /** The signal of the application's own, if this is the key of one. */
    public Optional<String> custom(String key) {
      return CUSTOM.parse(key).map(parts -> parts.get(KEY));
    }

    /** The number of the suspension, if this is the key of a condition that was met. */
    public Optional<Long> metSuspension(String key) {
      return MET.parse(key)
          .map(parts -> parts.get(SUSPENSION))
          .filter(number -> number.matches("[0-9]{1,18}"))
          .map(Long::parseLong);
    }

    @Override
    public List<KeyGlob> inputPatterns(String agent) {
      return List.of(APPROVAL.pattern(), CUSTOM.pattern(), MET.pattern());
    }
  }
}
