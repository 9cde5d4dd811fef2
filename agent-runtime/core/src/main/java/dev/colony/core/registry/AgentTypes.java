package dev.colony.core.registry;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.Blueprint;
import dev.colony.agent.BlueprintBinder;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.StreamBlueprint;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.author.ActionPolicy;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.Registered.Upcaster;
import dev.colony.agent.author.TypeProvider;
import dev.colony.agent.stream.ConsciousnessStream;
import dev.colony.agent.stream.ConsciousnessStream.ConsciousnessStreamFormatter;
import dev.colony.agent.stream.ConsciousnessStream.StreamFilter;
import dev.colony.core.capability.CapabilityType;
import dev.colony.core.registry.BlueprintFile.NestedBlueprints;
import dev.colony.core.registry.BlueprintFile.NestedPolicies;
import dev.colony.core.registry.FileProblems.CloseName;
import dev.colony.core.registry.RegisteredType.Construction;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The registered types; closed after loading. Thread-safe.
 *
 * <p>Blueprints come from other nodes, from the journal and from any client that can write to
 * Redis, so that what one says is checked each time that it is used: when it is bound, when an
 * agent is spawned, and again by the node that builds the agent. The check reads: it finds the type
 * by its registered name, brings old arguments to the version of here, holds them against their
 * schema and reads them as the type's record. The type's own code runs after all of that, or not at
 * all.
 */
public final class AgentTypes {

  /** Loaded when first asked for. */
  private static final class Installed {
    private static final AgentTypes TYPES = of(ServiceLoader.load(TypeProvider.class));
  }

  private final Map<String, RegisteredType> byName = new TreeMap<>();

  private AgentTypes(Iterable<? extends TypeProvider> providers) {
    TypeProvider.Types open =
        new TypeProvider.Types() {
          @Override
          public void add(Class<?> type) {
            put(RegisteredType.of(type, Optional.empty()));
          }

          @Override
          public void add(Class<?> type, Upcaster upcaster) {
            put(RegisteredType.of(type, Optional.of(upcaster)));
          }
        };
    providers.forEach(provider -> provider.register(open));
  }

  private void put(RegisteredType type) {
    if (byName.putIfAbsent(type.name(), type) != null) {
      throw new IllegalStateException("the type " + type.name() + " is registered twice");
    }
  }

  /** All types of the providers that {@link ServiceLoader} finds. */
  public static AgentTypes installed() {
    return Installed.TYPES;
  }

  /**
   * The types of these providers only.
   *
   * @throws IllegalStateException if one cannot be bound, or a name is registered twice
   */
  public static AgentTypes of(Iterable<? extends TypeProvider> providers) {
    return new AgentTypes(providers);
  }

  /** See {@link Blueprint#bind(Class, Object)}. */
  public Blueprint bind(Class<?> type, Object args) {
    return checked(registered(type).bind(args));
  }

  /** See {@link Blueprint#bind(Class)}. */
  public Blueprint bind(Class<?> type) {
    return checked(registered(type).bind());
  }

  private RegisteredType registered(Class<?> type) {
    return byName.values().stream()
        .filter(one -> one.type() == type)
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                type.getName()
                    + " is not registered: annotate it with @Registered and add it to a"
                    + " TypeProvider that is a service"));
  }

  private Blueprint checked(Blueprint bound) {
    try {
      check(Object.class, bound);
      return bound;
    } catch (AgentException refused) {
      throw new IllegalArgumentException(refused.getMessage(), refused);
    }
  }

  /**
   * The class that a blueprint names, nothing being instantiated. Its version and arguments are not
   * looked at.
   *
   * @param kind what it has to be
   * @throws AgentException if it is not registered or of another kind
   */
  public <T> Class<? extends T> find(Class<T> kind, Blueprint blueprint) {
    return named(kind, blueprint).type().asSubclass(kind);
  }

  /** The names under which types of a kind are registered, in order. */
  public List<String> names(Class<?> kind) {
    return byName.values().stream()
        .filter(one -> kind.isAssignableFrom(one.type()))
        .map(RegisteredType::name)
        .toList();
  }

  /**
   * The JSON schema of a type's arguments, for authors who write blueprints by hand.
   *
   * @throws AgentException if it is not registered
   */
  public JsonNode schema(String type) {
    return named(Object.class, Blueprint.of(type)).schema();
  }

  /**
   * The types of a kind that a person may mean: that of the name, or else all whose names end with
   * it, behind a dot.
   */
  List<RegisteredType> meant(Class<?> kind, String name) {
    List<RegisteredType> fitting =
        byName.values().stream()
            .filter(one -> kind.isAssignableFrom(one.type()))
            .filter(one -> one.name().equals(name) || one.name().endsWith("." + name))
            .toList();
    return fitting.stream()
        .filter(one -> one.name().equals(name))
        .findFirst()
        .map(List::of)
        .orElse(fitting);
  }

  private RegisteredType named(Class<?> kind, Blueprint blueprint) {
    RegisteredType type = byName.get(blueprint.type());
    if (type == null) {
      throw AgentException.refused(
          "no %s %s is registered here; there are %s"
              .formatted(
                  kind == Object.class ? "type" : kind.getSimpleName(),
                  blueprint.type(),
                  names(kind)));
    }
    if (!kind.isAssignableFrom(type.type())) {
      throw AgentException.refused(
          "the type "
              + blueprint.type()
              + " is registered here, but is no "
              + kind.getSimpleName());
    }
    return type;
  }

  /**
   * Checks a blueprint, and those in its arguments, nothing being instantiated but the records of
   * arguments.
   *
   * @param kind what it has to be
   * @throws AgentException on one line, if {@link #create} would refuse it before it makes anything
   */
  public void check(Class<?> kind, Blueprint blueprint) {
    read(named(kind, blueprint), blueprint);
  }

  private Optional<Object> read(RegisteredType type, Blueprint blueprint) {
    Optional<Object> args;
    try {
      if (AgentCapability.class.isAssignableFrom(type.type())) {
        CapabilityType.of(type.type().asSubclass(AgentCapability.class));
      }
      if (ActionPolicy.class.isAssignableFrom(type.type())) {
        NestedPolicies.refuse(this, blueprint);
      }
      args = type.read(blueprint);
    } catch (IllegalArgumentException refused) {
      throw new AgentException(refused.getMessage(), refused, false);
    }
    args.map(NestedBlueprints::in).ifPresent(nested -> nested.forEach(this::checkNested));
    return args;
  }

  private void checkNested(Object nested) {
    switch (nested) {
      case AgentBlueprint agent -> check(agent);
      case StreamBlueprint stream -> check(stream);
      case Blueprint blueprint -> check(Object.class, blueprint);
      default -> throw new IllegalStateException("no blueprint: " + nested);
    }
  }

  /**
   * Checks all that an agent is made of, nothing being instantiated but the records of arguments.
   *
   * @throws AgentException on one line, naming the part that is refused
   */
  public void check(AgentBlueprint agent) {
    part("policy", () -> check(ActionPolicy.class, agent.policy()));
    OfferedActions offered = new OfferedActions();
    for (CapabilityBlueprint capability : agent.capabilities()) {
      part(
          "capability " + capability.capabilityKey(),
          () -> {
            check(AgentCapability.class, capability.what());
            checkPlace(capability.what().type(), capability.namespace());
            offered.add(capability, find(AgentCapability.class, capability.what()));
          });
    }
    agent.streams().forEach(stream -> part("stream " + stream.name(), () -> check(stream)));
  }

  /** See {@link dev.colony.agent.BlueprintBinder#check(CapabilityBlueprint)}. */
  void checkActions(CapabilityBlueprint capability) {
    RegisteredType type = byName.get(capability.what().type());
    if (type != null && AgentCapability.class.isAssignableFrom(type.type())) {
      new OfferedActions().add(capability, type.type().asSubclass(AgentCapability.class));
    }
  }

  /**
   * Where a capability of this type stands, if its type names a place.
   *
   * @param type a registered name
   */
  Optional<String> namespace(String type) {
    return registered(type).map(Registered::namespace).filter(name -> !name.isEmpty());
  }

  /**
   * Checks that a capability stands where its type can work. Whose scope it is that a blueprint
   * names is known where the agent is built.
   *
   * @param namespace that its blueprint names
   * @throws AgentException on one line
   */
  void checkPlace(String type, Optional<String> namespace) {
    Optional<String> only =
        registered(type).filter(Registered::onlyThere).map(Registered::namespace);
    if (only.isPresent() && !namespace.equals(only)) {
      throw AgentException.refused(
          "a capability %s works in the namespace %s of its agent only: name that, or none"
              .formatted(type, only.get()));
    }
  }

  private Optional<Registered> registered(String type) {
    return Optional.ofNullable(byName.get(type))
        .map(found -> found.type().getAnnotation(Registered.class));
  }

  /** The agents that may come of an agent: those in the arguments of its parts. */
  public List<AgentBlueprint> within(AgentBlueprint agent) {
    return Stream.concat(
            Stream.of(agent.policy()), agent.capabilities().stream().map(CapabilityBlueprint::what))
        .flatMap(part -> byName.get(part.type()).read(part).stream())
        .flatMap(args -> NestedBlueprints.in(args).stream())
        .filter(AgentBlueprint.class::isInstance)
        .map(AgentBlueprint.class::cast)
        .toList();
  }

  private static void part(String name, Runnable check) {
    try {
      check.run();
    } catch (AgentException refused) {
      throw new AgentException(
          "the " + name + " is refused: " + refused.getMessage(), refused, false);
    }
  }

  /**
   * Checks all that a stream is made of, nothing being instantiated but the records of arguments.
   *
   * @throws AgentException on one line, naming the part that is refused
   */
  public void check(StreamBlueprint stream) {
    find(ConsciousnessStreamFormatter.class, stream.formatter());
    new TreeMap<>(stream.filters())
        .forEach((kind, filter) -> {
          if (!StreamKinds.installed().knows(kind)) {
            throw AgentException.refused(
                "the stream "
                    + stream.name()
                    + " takes entries of the kind "
                    + kind
                    + ", which is not installed here");
          }
          find(StreamFilter.class, filter);
        });
    check(ConsciousnessStreamFormatter.class, stream.formatter());
    stream.filters().values().forEach(filter -> check(StreamFilter.class, filter));
  }

  /**
   * Makes what a blueprint names, after it was checked. Its constructor is given the arguments as
   * the record that it asks for, and those of the injected objects that it asks for, by their
   * types, in any order.
   *
   * @throws AgentException on one line, if the type is not registered or of another kind, its
   *     version is not understood, its arguments do not fit, or its constructor refuses
   */
  public <T> T create(Class<T> kind, Blueprint blueprint, Object... injected) {
    RegisteredType type = named(kind, blueprint);
    return kind.cast(Construction.of(type, read(type, blueprint), injected));
  }

  /**
   * Makes a stream.
   *
   * @param injected what its formatter and its filters may ask for in their constructors
   * @throws AgentException if a part of it cannot be made
   */
  public ConsciousnessStream create(StreamBlueprint stream, Object... injected) {
    check(stream);
    Object[] given = new Object[injected.length + 1];
    given[0] = this;
    System.arraycopy(injected, 0, given, 1, injected.length);
    Map<String, StreamFilter> filters = new TreeMap<>();
    stream
        .filters()
        .forEach((kind, filter) -> filters.put(kind, create(StreamFilter.class, filter, given)));
    return new ConsciousnessStream(
        stream.name(),
        create(ConsciousnessStreamFormatter.class, stream.formatter(), given),
        filters,
        stream.maxEntries());
  }

  /** {@link AgentTypes#installed} for modules that know only the interface. */
  public static final class InstalledTypes implements BlueprintBinder {

    /** For {@link java.util.ServiceLoader}. */
    public InstalledTypes() {}

    @Override
    public Blueprint bind(Class<?> type, Object args) {
      return AgentTypes.installed().bind(type, args);
    }

    @Override
    public Blueprint bind(Class<?> type) {
      return AgentTypes.installed().bind(type);
    }

    @Override
    public void check(StreamBlueprint stream) {
      AgentTypes.installed().check(stream);
    }

    @Override
    public void check(CapabilityBlueprint capability) {
      AgentTypes.installed().checkActions(capability);
    }
  }

  /**
   * The actions that an agent's capabilities come to: each that is named is there, none is twice.
   */
  static final class OfferedActions {

    /** Of no account here: the descriptions are asked for their keys. */
    private static final Duration ANY_TIMEOUT = Duration.ofSeconds(1);

    private final Map<String, String> capabilities = new HashMap<>();

    /**
     * Adds those of one capability; of one whose class does not declare them nothing is known here.
     *
     * @throws AgentException on one line, if it names an action that it does not have, or offers
     *     one that another offers already
     */
    void add(CapabilityBlueprint capability, Class<? extends AgentCapability> type) {
      CapabilityType declared = CapabilityType.of(type);
      if (!declared.declaresActions()) {
        return;
      }
      String key = capability.capabilityKey();
      Set<String> all =
          declared.actions(key, ANY_TIMEOUT).stream()
              .map(ActionDescription::key)
              .collect(Collectors.toCollection(TreeSet::new));
      known("includes", capability.includeActions(), all);
      known("excludes", capability.excludeActions(), all);
      known("asks for approval of", capability.approveActions(), all);
      for (String action : all) {
        boolean taken =
            (capability.includeActions().isEmpty() || capability.includeActions().contains(action))
                && !capability.excludeActions().contains(action);
        String other = taken ? capabilities.put(action, key) : null;
        if (other != null) {
          throw AgentException.refused(
              "it offers the action %s as the capability %s does: exclude one of them"
                  .formatted(action, other));
        }
      }
    }

    private static void known(String does, Set<String> named, Set<String> all) {
      for (String action : named) {
        if (!all.contains(action)) {
          throw AgentException.refused(
              "it %s the action %s, which it does not have%s"
                  .formatted(
                      does,
                      action,
                      FileProblems.separated(CloseName.joined(action, all), "it has " + all)));
        }
      }
    }
  }
}
