package dev.colony.agent;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.inference.ModelChoice;
import dev.colony.vcm.PageGroupId;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * All that is needed to build an agent on any node. Immutable; the methods named after a component
 * return a changed copy.
 *
 * @param kind what the agent's life hangs on
 * @param policy decides what the agent does
 * @param capabilities what the agent can do; their keys differ
 * @param streams what of its experience the agent is shown; their names differ
 * @param pages the group of pages that the agent is bound to and placed with; empty for an unbound
 *     agent
 * @param budget of each run
 * @param resources what the agent is expected to need
 * @param model that answers the agent's calls, but for those that choose another
 */
public record AgentBlueprint(
    AgentKind kind,
    Blueprint policy,
    List<CapabilityBlueprint> capabilities,
    List<StreamBlueprint> streams,
    Optional<PageGroupId> pages,
    RunBudget budget,
    AgentResources resources,
    ModelChoice model) {

  /** It stands in one frame between nodes and in one event of the journal. */
  public static final int MAX_BYTES = 128 * 1024;

  public static final int MAX_CAPABILITIES = 100;
  public static final int MAX_STREAMS = 50;

  private static final Set<String> FIELDS =
      Set.of("kind", "policy", "capabilities", "streams", "pages", "budget", "resources", "model");
  private static final Set<String> BUDGET =
      Set.of("iterations", "time", "tokens", "cost", "whenSpent");
  private static final Set<String> MODEL = Set.of("name", "tags");
  private static final Set<String> RESOURCES = Set.of("priority", "expectedTokens", "concurrency");

  public AgentBlueprint {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(policy, "policy");
    Objects.requireNonNull(pages, "pages");
    Objects.requireNonNull(budget, "budget");
    Objects.requireNonNull(resources, "resources");
    Objects.requireNonNull(model, "model");
    capabilities = List.copyOf(capabilities);
    streams = List.copyOf(streams);
    differ("capabilities", capabilities, CapabilityBlueprint::capabilityKey);
    differ("streams", streams, StreamBlueprint::name);
    if (kind == AgentKind.VCM_BOUND && pages.isEmpty()) {
      throw new IllegalArgumentException("an agent that is VCM-bound needs a group of pages");
    }
    atMost(MAX_CAPABILITIES, "capabilities", capabilities.size());
    atMost(MAX_STREAMS, "streams", streams.size());
    atMost(
        MAX_BYTES,
        "bytes",
        Stream.of(
                Stream.of(policy.toJson()),
                capabilities.stream().map(CapabilityBlueprint::toJson),
                streams.stream().map(StreamBlueprint::toJson))
            .flatMap(parts -> parts)
            .mapToInt(part -> part.toString().getBytes(StandardCharsets.UTF_8).length)
            .sum());
  }

  /**
   * Looks whether an agent may be made of it.
   *
   * @throws AgentException if a capability stands in another tenant or colony than the agent
   */
  public void check(AgentId agent) {
    capabilities.forEach(capability -> capability.scopeFor(agent));
  }

  /** An unbound agent. */
  public static AgentBlueprint of(Blueprint policy, Blueprint... capabilities) {
    return new AgentBlueprint(
        AgentKind.UNBOUND,
        policy,
        Arrays.stream(capabilities).map(CapabilityBlueprint::of).toList(),
        List.of(),
        Optional.empty(),
        RunBudget.OF_NODE,
        AgentResources.DEFAULT,
        ModelChoice.DEFAULT);
  }

  /**
   * An unbound agent whose policy is of a type that is installed here, checked at once; see {@link
   * Blueprint#bind(Class, Object)}.
   */
  public static AgentBlueprint of(Class<?> policy, Object args) {
    return of(Blueprint.bind(policy, args));
  }

  /** The same for a policy without arguments, or whose arguments are all optional. */
  public static AgentBlueprint of(Class<?> policy) {
    return of(Blueprint.bind(policy));
  }

  public AgentBlueprint kind(AgentKind other) {
    return new AgentBlueprint(
        other, policy, capabilities, streams, pages, budget, resources, model);
  }

  /**
   * The same with one more capability.
   *
   * @throws IllegalArgumentException on one line, if it names an action to include, exclude or
   *     approve that its type, if that is installed here, does not have, or if the agent has
   *     another capability of its key
   */
  public AgentBlueprint capability(CapabilityBlueprint one) {
    if (one.namesActions()) {
      BlueprintBinder.find().ifPresent(binder -> checkActions(binder, one));
    }
    return new AgentBlueprint(
        kind, policy, plus(capabilities, one), streams, pages, budget, resources, model);
  }

  private static void checkActions(BlueprintBinder binder, CapabilityBlueprint capability) {
    try {
      binder.check(capability);
    } catch (AgentException refused) {
      throw new IllegalArgumentException(
          "the capability " + capability.capabilityKey() + " is refused: " + refused.getMessage(),
          refused);
    }
  }

  /** The same with one more capability of a type that is installed here, checked at once. */
  public AgentBlueprint capability(Class<?> type, Object args) {
    return capability(CapabilityBlueprint.of(type, args));
  }

  /** The same for a type without arguments, or whose arguments are all optional. */
  public AgentBlueprint capability(Class<?> type) {
    return capability(CapabilityBlueprint.of(type));
  }

  /** The same with one more stream, the last in the prompt. */
  public AgentBlueprint stream(StreamBlueprint one) {
    return new AgentBlueprint(
        kind, policy, capabilities, plus(streams, one), pages, budget, resources, model);
  }

  /** The same agent, placed with a group of pages. */
  public AgentBlueprint pages(PageGroupId group) {
    return new AgentBlueprint(
        kind, policy, capabilities, streams, Optional.of(group), budget, resources, model);
  }

  public AgentBlueprint budget(RunBudget other) {
    return new AgentBlueprint(kind, policy, capabilities, streams, pages, other, resources, model);
  }

  public AgentBlueprint resources(AgentResources other) {
    return new AgentBlueprint(kind, policy, capabilities, streams, pages, budget, other, model);
  }

  /** The same agent, whose calls are answered by that model. */
  public AgentBlueprint model(ModelChoice other) {
    return new AgentBlueprint(kind, policy, capabilities, streams, pages, budget, resources, other);
  }

  /** The blueprint as it is stored; {@link #fromJson} reads it back. */
  @JsonValue
  public ObjectNode toJson() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("kind", kind.name());
    json.set("policy", policy.toJson());
    var abilities = json.putArray("capabilities");
    capabilities.forEach(capability -> abilities.add(capability.toJson()));
    var shown = json.putArray("streams");
    streams.forEach(stream -> shown.add(stream.toJson()));
    pages.ifPresent(group -> json.put("pages", group.value()));
    ObjectNode bounds = json.putObject("budget");
    budget.iterations().ifPresent(most -> bounds.put("iterations", most));
    budget.time().ifPresent(most -> bounds.put("time", most.toString()));
    budget.tokens().ifPresent(most -> bounds.put("tokens", most));
    budget.cost().ifPresent(most -> bounds.put("cost", most.toString()));
    if (budget.whenSpent() != RunBudget.WhenSpent.FAIL) {
      bounds.put("whenSpent", budget.whenSpent().name());
    }
    ObjectNode needs = json.putObject("resources");
    needs.put("priority", resources.priority());
    needs.put("expectedTokens", resources.expectedTokens());
    needs.put("concurrency", resources.concurrency());
    switch (model) {
      case ModelChoice.Default usual -> {}
      case ModelChoice.Named named -> json.putObject("model").put("name", named.model());
      case ModelChoice.Tagged tagged -> {
        ArrayNode tags = json.putObject("model").putArray("tags");
        tagged.tags().forEach(tags::add);
      }
    }
    return json;
  }

  /**
   * Reads {@link #toJson} back; what is absent is as {@link #of} has it.
   *
   * @throws IllegalArgumentException on one line, if it is not a blueprint
   */
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public static AgentBlueprint fromJson(JsonNode json) {
    JsonFields fields = JsonFields.of("an agent's blueprint", json, FIELDS);
    return new AgentBlueprint(
        fields.parsed("kind", "a kind of agent", AgentKind::valueOf).orElse(AgentKind.UNBOUND),
        Blueprint.fromJson(fields.required("policy")),
        fields.list("capabilities", CapabilityBlueprint::fromJson),
        fields.list("streams", StreamBlueprint::fromJson),
        fields.parsed("pages", "a group of pages", PageGroupId::new),
        fields.any("budget").map(AgentBlueprint::budget).orElse(RunBudget.OF_NODE),
        fields.any("resources").map(AgentBlueprint::resources).orElse(AgentResources.DEFAULT),
        fields.any("model").map(AgentBlueprint::model).orElse(ModelChoice.DEFAULT));
  }

  private static ModelChoice model(JsonNode json) {
    JsonFields fields = JsonFields.of("a choice of a model", json, MODEL);
    Optional<ModelChoice> named =
        fields.parsed("name", "the name of a model", ModelChoice.Named::new);
    Set<String> tags = fields.texts("tags");
    if (named.isPresent() != tags.isEmpty()) {
      throw new IllegalArgumentException("a choice of a model has either a name or tags");
    }
    return named.orElseGet(() -> new ModelChoice.Tagged(tags));
  }

  private static RunBudget budget(JsonNode json) {
    JsonFields fields = JsonFields.of("a run's budget", json, BUDGET);
    return new RunBudget(
        fields.integer("iterations"),
        fields.parsed("time", "a duration as in PT5M", Duration::parse),
        fields.longer("tokens"),
        fields.parsed("cost", "an amount of money as text", RunBudget::money),
        fields
            .parsed("whenSpent", "FAIL or SUSPEND", RunBudget.WhenSpent::valueOf)
            .orElse(RunBudget.WhenSpent.FAIL));
  }

  private static AgentResources resources(JsonNode json) {
    JsonFields fields = JsonFields.of("an agent's resources", json, RESOURCES);
    AgentResources usual = AgentResources.DEFAULT;
    return new AgentResources(
        fields.integer("priority").orElse(usual.priority()),
        fields.longer("expectedTokens").orElse(usual.expectedTokens()),
        fields.integer("concurrency").orElse(usual.concurrency()));
  }

  private static void atMost(int most, String what, int are) {
    if (are > most) {
      throw new IllegalArgumentException(
          "an agent's blueprint has " + are + " " + what + ", more than " + most);
    }
  }

  private static <T> List<T> plus(List<T> list, T one) {
    List<T> longer = new ArrayList<>(list);
    longer.add(one);
    return longer;
  }

  private static <T> void differ(String what, List<T> all, Function<T, String> name) {
    Set<String> names = new HashSet<>();
    for (T one : all) {
      if (!names.add(name.apply(one))) {
        throw new IllegalArgumentException(
            "two " + what + " of an agent are named " + name.apply(one) + ": give one another key");
      }
    }
  }

  /**
   * What an agent is expected to need.
   *
   * @param priority 0 to 100; where room is short, a lower one gives way
   * @param expectedTokens of one run's model calls; 0 if unknown
   * @param concurrency how many model calls and actions it may have under way at once, 1 to 1000
   */
  public record AgentResources(int priority, long expectedTokens, int concurrency) {

    public static final int MOST_PRIORITY = 100;

    public static final AgentResources DEFAULT = new AgentResources(50, 0, 1);

    public AgentResources {
      check("priority", priority, 0, MOST_PRIORITY);
      check("expectedTokens", expectedTokens, 0, Long.MAX_VALUE);
      check("concurrency", concurrency, 1, 1000);
    }

    private static void check(String name, long value, long least, long most) {
      if (value < least || value > most) {
        throw new IllegalArgumentException(
            name + " is " + value + ", but must be " + least + " to " + most);
      }
    }
  }

  /** What an agent's life hangs on. Source: the seed's agent types. */
  public enum AgentKind {
    /** Loaded and unloaded together with the pages that it is bound to. */
    VCM_BOUND,
    /** Chooses its pages as it goes. */
    UNBOUND,
    /** Always running for other agents: never passivated while its node lives. */
    SERVICE,
    /** Watches over other agents, whatever becomes of pages. */
    SUPERVISOR
  }
}
