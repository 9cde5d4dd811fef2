package dev.colony.core.registry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentBlueprint.AgentKind;
import dev.colony.agent.AgentBlueprint.AgentResources;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.RunBudget;
import dev.colony.agent.StreamBlueprint;
import dev.colony.agent.action.ActionType.Effect;
import dev.colony.blackboard.Scope;
import dev.colony.core.registry.Counted.Rules;
import dev.colony.vcm.PageGroupId;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Blueprints of agents that can be built of {@link TestTypes}, and JSON of any kind. */
final class RandomBlueprints {

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final List<String> TRICKS =
      List.of("java.lang.Runtime", "test.plain", "PT1S", "VCM_BOUND", "1e999999999", "@class", "");
  private static final List<Double> NUMBERS =
      List.of(Double.NaN, Double.NEGATIVE_INFINITY, -0.0, 1.0, 1e20, Double.MIN_VALUE);

  private final Random random;

  RandomBlueprints(long seed) {
    this.random = new Random(seed);
  }

  /** JSON of any kind, that which cannot travel included. */
  JsonNode json() {
    return json(4);
  }

  private JsonNode json(int levels) {
    return switch (random.nextInt(levels == 0 ? 11 : 14)) {
      case 0 -> JSON.textNode(anyText());
      case 1 -> JSON.textNode(TRICKS.get(random.nextInt(TRICKS.size())));
      case 2 -> JSON.numberNode(random.nextInt());
      case 3 -> JSON.numberNode((long) random.nextInt(10));
      case 4 -> JSON.numberNode(random.nextLong());
      case 5 -> JSON.numberNode(new BigInteger(random.nextInt(100), random));
      case 6 -> JSON.numberNode(random.nextGaussian() * 1e6);
      case 7 -> JSON.numberNode((float) random.nextGaussian());
      case 8 ->
          JSON.numberNode(
              new BigDecimal(new BigInteger(random.nextInt(70), random), random.nextInt(40) - 20));
      case 9 -> JSON.numberNode(NUMBERS.get(random.nextInt(NUMBERS.size())).doubleValue());
      case 10 ->
          random.nextBoolean()
              ? JSON.nullNode()
              : JSON.binaryNode(anyText().getBytes(StandardCharsets.UTF_16));
      case 11 -> {
        ObjectNode object = JSON.objectNode();
        IntStream.range(0, random.nextInt(4)).forEach(i -> object.set(anyText(), json(levels - 1)));
        yield object;
      }
      case 12 -> {
        ArrayNode array = JSON.arrayNode();
        IntStream.range(0, random.nextInt(4)).forEach(i -> array.add(json(levels - 1)));
        yield array;
      }
      default -> random.nextInt(10) == 0 ? deep(random.nextInt(1500)) : JSON.booleanNode(true);
    };
  }

  private static JsonNode deep(int levels) {
    JsonNode at = JSON.arrayNode();
    for (int level = 0; level < levels; level++) {
      at = JSON.arrayNode().add(at);
    }
    return at;
  }

  /** Of any characters, halves of surrogate pairs included, though seldom. */
  private String anyText() {
    return random
        .ints(random.nextInt(12), 0, random.nextInt(4) == 0 ? 0x10000 : 0xd800)
        .mapToObj(one -> String.valueOf((char) one))
        .collect(Collectors.joining());
  }

  private String text() {
    return random
        .ints(random.nextInt(12), 0, 0x20000)
        .filter(one -> !Character.isSurrogate((char) one))
        .mapToObj(Character::toString)
        .collect(Collectors.joining());
  }

  private <T> Optional<T> maybe(Supplier<T> value) {
    return random.nextBoolean() ? Optional.of(value.get()) : Optional.empty();
  }

  private <T> Stream<T> few(Supplier<T> value) {
    return Stream.generate(value).limit(random.nextInt(4));
  }

  private Blueprint filter() {
    ObjectNode args = JSON.objectNode();
    if (random.nextInt(3) == 0) {
      args.set("filter", filter().toJson());
      return new Blueprint("stream.not", args);
    }
    args.putArray("keys").add("k").add("x" + random.nextInt(10));
    return new Blueprint("stream.event-context-key", args);
  }

  private Rules rules() {
    Map<String, Double> weights =
        few(this::text)
            .distinct()
            .collect(Collectors.toMap(key -> key, key -> random.nextDouble()));
    Set<String> tags = few(this::text).collect(Collectors.toSet());
    return new Rules(
        text(),
        1 + random.nextInt(100),
        maybe(() -> Effect.values()[random.nextInt(2)]),
        weights,
        tags,
        few(this::filter).toList(),
        random.nextLong());
  }

  private CapabilityBlueprint capability(int number) {
    CapabilityBlueprint one =
        CapabilityBlueprint.of(TestTypes.ALL.bind(Counted.class, rules())).key("c" + number);
    one = maybe(() -> Scope.colony("t", "c")).map(one::scope).orElse(one);
    one = maybe(() -> "n" + random.nextInt(9)).map(one::namespace).orElse(one);
    return number == 0
        ? one.include("c0.check", "report_generate")
        : one.exclude("report_generate");
  }

  private RunBudget budget() {
    return new RunBudget(
        maybe(() -> 1 + random.nextInt(1000)),
        maybe(() -> Duration.ofNanos(1 + random.nextInt())).filter(Duration::isPositive),
        maybe(() -> 1 + random.nextLong(Long.MAX_VALUE - 1)),
        maybe(
            () -> new BigDecimal(BigInteger.ONE.shiftLeft(random.nextInt(90)), random.nextInt(9))),
        random.nextBoolean() ? RunBudget.WhenSpent.FAIL : RunBudget.WhenSpent.SUSPEND);
  }

  /** One that passes every check. */
  AgentBlueprint agent() {
    AgentBlueprint agent =
        AgentBlueprint.of(TestTypes.ALL.bind(TestTypes.Idle.class))
            .pages(new PageGroupId("a".repeat(26)))
            .kind(AgentKind.values()[random.nextInt(AgentKind.values().length)])
            .budget(budget())
            .resources(new AgentResources(random.nextInt(101), random.nextInt(1000), 1));
    for (int number = random.nextInt(4); number > 0; number--) {
      agent = agent.capability(capability(number - 1));
    }
    return random.nextBoolean()
        ? agent
        : agent.stream(
            new StreamBlueprint(
                "s" + random.nextInt(10),
                new Blueprint("stream.conversation", JSON.objectNode().put("userContextKey", "k")),
                Map.of("event", filter()),
                1 + random.nextInt(1000)));
  }
}
