package dev.colony.agent.entity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.EventBatch;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunStats;
import dev.colony.agent.SessionId;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.lifecycle.Parked;
import dev.colony.agent.lifecycle.Watch;
import dev.colony.agent.policy.ErrorContext;
import dev.colony.agent.step.StepDelta;
import dev.colony.agent.step.StreamAppend;
import dev.colony.agent.stream.StreamEntry;
import dev.colony.agent.suspension.ResumptionCondition;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.key.KeyGlob;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.Usage;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** Any of the records that events, states and messages are made of. */
final class AnyRecord {

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final int FEW = 3;

  private AnyRecord() {}

  /** Of any characters but halves of surrogate pairs, which JSON cannot carry. */
  static Arbitrary<String> text() {
    return Arbitraries.strings()
        .excludeChars('\ud800')
        .withCharRange('\0', '\ud7ff')
        .ofMaxLength(8);
  }

  static Arbitrary<String> name() {
    return Arbitraries.strings().alpha().numeric().withChars("._~-").ofMinLength(1).ofMaxLength(8);
  }

  static Arbitrary<Instant> instant() {
    return Arbitraries.longs()
        .between(0, 4_000_000_000_000_000L)
        .map(micros -> Instant.ofEpochSecond(micros / 1_000_000, micros % 1_000_000 * 1_000));
  }

  static Arbitrary<JsonNode> json() {
    Arbitrary<JsonNode> leaf =
        Arbitraries.oneOf(
            text().map(JSON::textNode),
            Arbitraries.integers().map(JSON::numberNode),
            Arbitraries.doubles().map(JSON::numberNode),
            Arbitraries.of(JSON.booleanNode(true), JSON.booleanNode(false), JSON.nullNode()));
    return Arbitraries.oneOf(
        leaf, object(leaf), leaf.list().ofMaxSize(FEW).map(all -> JSON.arrayNode().addAll(all)));
  }

  static Arbitrary<ObjectNode> object() {
    return object(json());
  }

  private static Arbitrary<ObjectNode> object(Arbitrary<? extends JsonNode> value) {
    return few(value)
        .map(fields -> {
          ObjectNode object = JSON.objectNode();
          fields.forEach(object::set);
          return object;
        });
  }

  private static <T> Arbitrary<Map<String, T>> few(Arbitrary<T> value) {
    return Arbitraries.maps(text(), value).ofMaxSize(FEW);
  }

  static Arbitrary<AgentId> agent() {
    return Combinators.combine(name(), name(), name()).as(AgentId::new);
  }

  static Arbitrary<RunId> run() {
    return name().map(RunId::new);
  }

  static Arbitrary<SessionId> session() {
    return name().map(SessionId::new);
  }

  static Arbitrary<Position> position() {
    Arbitrary<Long> part = Arbitraries.longs().greaterOrEqual(0);
    return Combinators.combine(part, part).as(Position::new);
  }

  static Arbitrary<Scope> scope() {
    return Combinators.combine(name(), name(), name().optional())
        .as((tenant, colony, space) -> {
          Scope scope = Scope.colony(tenant, colony);
          return space.map(scope::namespace).orElse(scope);
        });
  }

  static Arbitrary<BigDecimal> money() {
    return Combinators.combine(
            Arbitraries.bigIntegers().between(BigInteger.ONE, BigInteger.TEN.pow(20)),
            Arbitraries.integers().between(-3, 12))
        .as(BigDecimal::new);
  }

  static Arbitrary<Usage> usage() {
    Arbitrary<Long> tokens = Arbitraries.longs().between(0, 1L << 40);
    return Combinators.combine(tokens, tokens, tokens).as(Usage::new);
  }

  static Arbitrary<InferenceReply> reply() {
    return Combinators.combine(name(), text(), usage(), name(), Arbitraries.of(true, false))
        .as(InferenceReply::new);
  }

  static Arbitrary<Action> action() {
    return Combinators.combine(name(), name(), json()).as(Action::new);
  }

  static Arbitrary<ResumptionCondition> condition() {
    Arbitrary<ResumptionCondition> at = instant().map(ResumptionCondition.At::new);
    Arbitrary<ResumptionCondition> ended =
        agent().list().ofMinSize(1).ofMaxSize(2).map(ResumptionCondition.ChildrenCompleted::new);
    return Arbitraries.oneOf(
        at, ended, at.tuple2().map(both -> ResumptionCondition.any(both.get1(), both.get2())));
  }

  static Arbitrary<ActionCall> call() {
    return Combinators.combine(
            action(),
            Arbitraries.of(ActionResult.Status.class),
            json(),
            text(),
            name().optional(),
            agent().list().ofMaxSize(FEW),
            condition().optional(),
            usage())
        .as((action, status, output, error, stored, on, until, usage) ->
            new ActionCall(
                action,
                new ActionResult(
                    action.actionId(), status, output, error, stored, on, until, usage)));
  }

  static Arbitrary<StepDelta> delta() {
    Arbitrary<StreamAppend> append =
        Combinators.combine(name(), Arbitraries.integers().between(1, 9), name(), instant(), json())
            .as((stream, keep, kind, at, content) ->
                new StreamAppend(stream, keep, new StreamEntry(kind, at, content)));
    return Combinators.combine(
            object(),
            append.list().ofMaxSize(FEW),
            few(json()),
            name().set().ofMaxSize(FEW).optional(),
            session().optional())
        .as(StepDelta::new);
  }

  static Arbitrary<ErrorContext> error() {
    return Combinators.combine(name(), text(), name().optional(), Arbitraries.of(true, false))
        .as(ErrorContext::new);
  }

  static Arbitrary<Parked> parked() {
    return Combinators.combine(Arbitraries.of(true, false), text(), agent().list().ofMaxSize(FEW))
        .as(Parked::new);
  }

  static Arbitrary<EventBatch> batch() {
    Arbitrary<EventBatch.Event> event =
        Combinators.combine(
                name(),
                position(),
                instant(),
                text(),
                name().set().ofMaxSize(FEW),
                json().optional())
            .as((key, position, at, writer, tags, value) ->
                new EventBatch.Event(key, position, at, writer, 1, 2, tags, value));
    return Combinators.combine(scope(), event.list().ofMaxSize(FEW), Arbitraries.of(true, false))
        .as(EventBatch::new);
  }

  static Arbitrary<RunRequest> request() {
    Arbitrary<ExecutionContext> context =
        Combinators.combine(name(), name(), session().optional(), run(), name())
            .as(ExecutionContext::new);
    return Combinators.combine(context, name(), json(), text(), instant()).as(RunRequest::new);
  }

  static Arbitrary<RunStats> stats() {
    Arbitrary<Integer> count = Arbitraries.integers().between(0, 1000);
    return Combinators.combine(count, count, usage(), count, count, money()).as(RunStats::new);
  }

  static Arbitrary<AgentRun> ended() {
    return Combinators.combine(
            run(),
            Arbitraries.of(AgentRun.Status.class),
            json(),
            text(),
            stats(),
            session().optional(),
            few(json()),
            text().list().ofMaxSize(FEW))
        .as((id, status, output, why, stats, session, exported, learned) ->
            new AgentRun(
                id,
                status,
                output,
                status == AgentRun.Status.COMPLETED ? Optional.empty() : Optional.of(why),
                stats,
                session,
                exported,
                learned));
  }

  static Arbitrary<Watch> watch() {
    Arbitrary<Set<KeyGlob>> globs = name().map(KeyGlob::new).set().ofMaxSize(FEW);
    return Combinators.combine(scope(), globs, position(), position(), position()).as(Watch::new);
  }

  static Arbitrary<List<Watch>> watches() {
    return watch().list().ofMaxSize(FEW);
  }
}
