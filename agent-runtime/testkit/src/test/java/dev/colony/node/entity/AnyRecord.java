package dev.colony.node.entity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.SessionId;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.protocol.KeyGlob;
import java.time.Instant;
import java.util.Map;
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

  static Arbitrary<ResumptionCondition> condition() {
    Arbitrary<ResumptionCondition> leaf =
        Arbitraries.oneOf(
            instant().map(ResumptionCondition.At::new),
            Arbitraries.of("a", "b", "c")
                .map(name -> new AgentId("acme", "lab", name))
                .list()
                .ofMinSize(1)
                .ofMaxSize(FEW)
                .map(ResumptionCondition.ChildrenCompleted::new),
            scope().map(scope -> new ResumptionCondition.Event(scope, new KeyGlob("word:*"))),
            Arbitraries.just(new ResumptionCondition.Immediate()),
            position().optional().map(after -> new ResumptionCondition.Approved("pay-1", after)));
    return Arbitraries.oneOf(
        leaf,
        leaf.tuple2()
            .map(two -> ResumptionCondition.any(two.get1(), ResumptionCondition.all(two.get2()))));
  }

  static Arbitrary<RunRequest> request() {
    Arbitrary<ExecutionContext> context =
        Combinators.combine(name(), name(), session().optional(), run(), name())
            .as(ExecutionContext::new);
    return Combinators.combine(context, name(), json(), text(), instant()).as(RunRequest::new);
  }
}
