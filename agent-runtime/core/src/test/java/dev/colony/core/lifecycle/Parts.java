package dev.colony.core.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentBlueprint.AgentKind;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.ErrorContext;
import dev.colony.agent.EventBatch;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunBudget;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunStats;
import dev.colony.agent.SessionId;
import dev.colony.agent.Suspension;
import dev.colony.agent.Suspension.Approval;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.DurableMemory;
import dev.colony.agent.author.StepDelta;
import dev.colony.agent.author.StepDelta.StreamAppend;
import dev.colony.agent.stream.StreamEntry;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.blackboard.value.ValueRules;
import dev.colony.core.lifecycle.ActiveRun.Blocked;
import dev.colony.core.lifecycle.EventSubscription.Watch;
import dev.colony.inference.FinishReason;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceReply.Timings;
import dev.colony.inference.ToolCall;
import dev.colony.inference.Usage;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** What events and states are made of. */
final class Parts {

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private static final List<Integer> EDGES =
      List.of(
          0, 0x1F, 0x22, 0x2F, 0x5C, 0x7F, 0x80, 0x7FF, 0x800, 0x2028, 0xD7FF, 0xE000, 0xFEFF,
          0xFFFD, 0xFFFF, 0x10000, 0x1F600, 0x10FFFF);

  /**
   * Bytes, at one to four a character, on both sides of where CBOR takes a longer head or chunks.
   */
  private static final List<Integer> LENGTHS =
      List.of(23, 24, 63, 64, 255, 256, 1_000, 3_900, 4_000, 16_383, 16_384, 65_535, 65_536);

  private Parts() {}

  static Arbitrary<Instant> instants() {
    return Arbitraries.longs()
        .between(0, 4_000_000_000L)
        .flatMap(second ->
            Arbitraries.longs()
                .between(0, 999_999_999)
                .map(nano -> Instant.ofEpochSecond(second, nano)));
  }

  /**
   * Every text that may be stored: any characters of Unicode, those at the edges of UTF-8's and
   * JSON's forms more often, and some of such a length that CBOR writes them in another form.
   */
  static Arbitrary<String> texts() {
    return Arbitraries.randomValue(Parts::text);
  }

  private static String text(Random random) {
    if (random.nextInt(80) == 0) {
      int length = LENGTHS.get(random.nextInt(LENGTHS.size()));
      return Character.toString(character(random)).repeat(length);
    }
    StringBuilder text = new StringBuilder();
    for (int left = random.nextInt(20); left > 0; left--) {
      text.appendCodePoint(character(random));
    }
    return text.toString();
  }

  private static int character(Random random) {
    if (random.nextBoolean()) {
      return EDGES.get(random.nextInt(EDGES.size()));
    }
    int surrogates = Character.MAX_SURROGATE + 1 - Character.MIN_SURROGATE;
    int any = random.nextInt(Character.MAX_CODE_POINT + 1 - surrogates);
    return any < Character.MIN_SURROGATE ? any : any + surrogates;
  }

  /** Names of fields, which have a bound of their own. */
  private static Arbitrary<String> fields() {
    return texts().filter(name -> name.length() <= ValueRules.MAX_NAME);
  }

  /** Of what may only be named by a few characters. */
  static Arbitrary<String> names() {
    return Arbitraries.strings().alpha().ofMinLength(1).ofMaxLength(8);
  }

  static Arbitrary<JsonNode> json() {
    Arbitrary<JsonNode> leaves =
        Arbitraries.oneOf(
            texts().map(JSON::textNode),
            Arbitraries.integers().map(JSON::numberNode),
            Arbitraries.doubles().map(JSON::numberNode),
            Arbitraries.of(true, false).map(JSON::booleanNode),
            Arbitraries.just(JSON.nullNode()));
    return Arbitraries.oneOf(leaves, leaves.list().ofMaxSize(3).map(Parts::array), objects(leaves));
  }

  static Arbitrary<ObjectNode> objects() {
    return objects(json());
  }

  private static ArrayNode array(Iterable<JsonNode> elements) {
    ArrayNode array = JSON.arrayNode();
    elements.forEach(array::add);
    return array;
  }

  private static Arbitrary<ObjectNode> objects(Arbitrary<JsonNode> values) {
    return Arbitraries.maps(fields(), values)
        .ofMaxSize(3)
        .map(all -> {
          ObjectNode object = JSON.objectNode();
          all.forEach(object::set);
          return object;
        });
  }

  static Arbitrary<BigDecimal> money() {
    return Arbitraries.bigDecimals()
        .between(new BigDecimal("0.000001"), new BigDecimal("1000"))
        .ofScale(6);
  }

  static Arbitrary<Usage> usages() {
    Arbitrary<Long> tokens = Arbitraries.longs().between(0, 1L << 40);
    return Combinators.combine(tokens, tokens, tokens).as(Usage::new);
  }

  static Arbitrary<RunStats> stats() {
    Arbitrary<Integer> count = Arbitraries.integers().between(0, 1_000);
    return Combinators.combine(
            count,
            count,
            usages(),
            count,
            count,
            money(),
            names().list().uniqueElements().ofMaxSize(3))
        .as(RunStats::new);
  }

  static Arbitrary<SessionId> sessions() {
    return names().map(SessionId::new);
  }

  static Arbitrary<RunId> runIds() {
    return names().map(RunId::new);
  }

  static Arbitrary<AgentId> agents() {
    return names().map(name -> new AgentId("acme", "lab", name));
  }

  static Arbitrary<Scope> scopes() {
    return Arbitraries.oneOf(
        names().map(Scope::tenant),
        names().map(colony -> Scope.colony("acme", colony)),
        agents().map(AgentId::scope),
        names().map(space -> Scope.colony("acme", "lab").namespace(space)));
  }

  static Arbitrary<Position> positions() {
    Arbitrary<Long> number = Arbitraries.longs().between(0, Long.MAX_VALUE);
    return Combinators.combine(number, number).as(Position::new);
  }

  static Arbitrary<Watch> watches() {
    return Combinators.combine(
            scopes(),
            names().map(KeyGlob::new).set().ofMinSize(1).ofMaxSize(3),
            positions(),
            positions(),
            positions())
        .as(Watch::new);
  }

  static Arbitrary<AgentBlueprint> blueprints() {
    Arbitrary<Blueprint> what =
        Combinators.combine(names(), objects().filter(Parts::fitsBlueprint)).as(Blueprint::new);
    Arbitrary<RunBudget> budgets =
        Combinators.combine(
                Arbitraries.integers().between(1, 9).optional(),
                Arbitraries.longs().between(1, 1L << 40).map(Duration::ofNanos).optional(),
                Arbitraries.longs().between(1, 1L << 40).optional(),
                money().optional(),
                Arbitraries.of(RunBudget.WhenSpent.class))
            .as(RunBudget::new);
    return Combinators.combine(Arbitraries.of(AgentKind.class), what, what.optional(), budgets)
        .as((kind, policy, capability, budget) -> {
          AgentBlueprint bare =
              AgentBlueprint.of(policy)
                  .pages(new PageGroupId("a".repeat(26)))
                  .kind(kind)
                  .budget(budget);
          return capability.map(CapabilityBlueprint::of).map(bare::capability).orElse(bare);
        });
  }

  /** Larger arguments are refused. */
  private static boolean fitsBlueprint(ObjectNode args) {
    return args.toString().getBytes(StandardCharsets.UTF_8).length <= Blueprint.MAX_BYTES;
  }

  static Arbitrary<RunRequest> requests() {
    return Combinators.combine(
            sessions().optional(), runIds(), names(), names(), json(), texts(), instants())
        .as((session, run, trace, namespace, input, by, at) ->
            new RunRequest(
                new ExecutionContext("acme", "lab", session, run, trace),
                namespace,
                input,
                by,
                at));
  }

  static Arbitrary<EventBatch> batches() {
    Arbitrary<EventBatch.Event> events =
        Combinators.combine(
                names(),
                positions(),
                instants(),
                texts(),
                Arbitraries.longs().between(0, 1_000),
                names().set().ofMaxSize(2),
                // A JSON null is no value: no capability writes one.
                json().filter(value -> !value.isNull()).optional())
            .as((key, position, at, writer, version, tags, value) ->
                new EventBatch.Event(key, position, at, writer, version, version + 1, tags, value));
    return Combinators.combine(scopes(), events.list().ofMaxSize(3), Arbitraries.of(true, false))
        .as(EventBatch::new);
  }

  static Arbitrary<InferenceReply> replies() {
    Arbitrary<ToolCall> calls = Combinators.combine(names(), names(), objects()).as(ToolCall::new);
    Arbitrary<Duration> times = Arbitraries.longs().between(0, 1L << 40).map(Duration::ofNanos);
    return Combinators.combine(
            texts(),
            calls.list().ofMaxSize(2),
            texts(),
            Arbitraries.of(FinishReason.class),
            usages(),
            Combinators.combine(times, times, times).as(Timings::new),
            names(),
            Arbitraries.of(true, false))
        .as((text, tools, reasoning, finish, usage, timings, name, resident) ->
            new InferenceReply(
                name, text, tools, reasoning, finish, usage, timings, name, text, name, resident));
  }

  static Arbitrary<Action> actions() {
    return Combinators.combine(texts(), texts(), objects()).as(Action::of);
  }

  static Arbitrary<ActionCall> calls() {
    return Combinators.combine(
            actions(),
            Arbitraries.of(ActionResult.Status.class),
            json(),
            texts(),
            texts().optional(),
            agents().list().ofMaxSize(2),
            conditions().optional(),
            usages())
        .as((action, status, output, error, stored, on, until, usage) ->
            new ActionCall(
                action,
                new ActionResult(
                    action.actionId(),
                    status,
                    output,
                    error,
                    stored,
                    on,
                    until,
                    usage,
                    List.of(new ActionResult.ModelUse(error, output.asText(), usage)))));
  }

  static Arbitrary<StreamEntry> entries() {
    return Combinators.combine(texts(), instants(), json()).as(StreamEntry::new);
  }

  static Arbitrary<StepDelta> deltas() {
    Arbitrary<StreamAppend> appends =
        Combinators.combine(texts(), Arbitraries.integers().between(1, 1_000), entries())
            .as(StreamAppend::new);
    Arbitrary<Map<String, JsonNode>> snapshots = Arbitraries.maps(fields(), json()).ofMaxSize(2);
    return Combinators.combine(
            objects(),
            appends.list().ofMaxSize(2),
            snapshots,
            texts().set().ofMaxSize(2).optional(),
            sessions().optional(),
            objects())
        .as(StepDelta::new);
  }

  static Arbitrary<Blocked> blocked() {
    return Combinators.combine(
            Arbitraries.of(true, false),
            texts(),
            agents().list().ofMaxSize(2),
            conditions().optional(),
            instants())
        .as(Blocked::new);
  }

  static Arbitrary<ResumptionCondition> conditions() {
    Arbitrary<ResumptionCondition> leaves =
        Arbitraries.oneOf(
            agents()
                .list()
                .ofMinSize(1)
                .ofMaxSize(3)
                .map(ResumptionCondition.ChildrenCompleted::new),
            Arbitraries.of(
                new ResumptionCondition.ResourceAvailable(), new ResumptionCondition.Immediate()),
            Arbitraries.of("a", "b")
                .map(letter -> new PageId(letter.repeat(26)))
                .list()
                .ofMinSize(1)
                .ofMaxSize(2)
                .map(ResumptionCondition.PagesAvailable::new),
            names().map(ResumptionCondition.Custom::new),
            instants().map(ResumptionCondition.At::new),
            Combinators.combine(scopes(), names().map(KeyGlob::new))
                .as(ResumptionCondition.Event::new),
            Combinators.combine(names(), positions().optional())
                .as(ResumptionCondition.Approved::new));
    Arbitrary<List<ResumptionCondition>> several = leaves.list().ofMinSize(1).ofMaxSize(3);
    return Arbitraries.oneOf(
        leaves,
        several.map(ResumptionCondition.All::new),
        several.map(ResumptionCondition.AnyOf::new));
  }

  static Arbitrary<Suspension> suspensions() {
    return Combinators.combine(
            Arbitraries.longs().between(1, 1_000),
            Arbitraries.of(SuspensionCause.class),
            texts(),
            conditions().optional(),
            instants(),
            instants(),
            Arbitraries.of(true, false))
        .as(Suspension::new);
  }

  static Arbitrary<Approval> approvals() {
    return Combinators.combine(names(), Arbitraries.of(true, false), texts(), texts(), instants())
        .as(Approval::new);
  }

  static Arbitrary<ForkSeed> forkSeeds() {
    return Combinators.combine(
            agents(),
            Arbitraries.longs().between(1, 1_000),
            memories(),
            Arbitraries.integers().between(0, 9),
            calls().list().ofMaxSize(2).map(SharedActionHistory::of),
            objects())
        .as(ForkSeed::new);
  }

  /** As a policy keeps them: JSON null is no entry. */
  static Arbitrary<ObjectNode> entriesByName() {
    return objects(json().filter(value -> !value.isNull()));
  }

  static Arbitrary<DurableMemory> memories() {
    return Combinators.combine(
            Arbitraries.maps(fields(), entries().list().ofMinSize(1).ofMaxSize(2)).ofMaxSize(2),
            Arbitraries.maps(fields(), json()).ofMaxSize(2),
            texts().set().ofMaxSize(2),
            entriesByName())
        .as(DurableMemory::new);
  }

  static Arbitrary<ErrorContext> errors() {
    return Combinators.combine(texts(), texts(), texts().optional(), Arbitraries.of(true, false))
        .as(ErrorContext::new);
  }

  static Arbitrary<AgentRun> runs() {
    return Combinators.combine(
            runIds(),
            Arbitraries.of(AgentRun.Status.class),
            json(),
            texts(),
            stats(),
            sessions().optional(),
            Arbitraries.maps(fields(), json()).ofMaxSize(2),
            texts().list().ofMaxSize(2))
        .as((id, status, output, error, stats, session, exported, learned) ->
            new AgentRun(
                id,
                status,
                output,
                status == AgentRun.Status.COMPLETED ? Optional.empty() : Optional.of(error),
                stats,
                session,
                exported,
                learned,
                false));
  }
}
