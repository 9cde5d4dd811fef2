package dev.colony.core.registry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.Blueprint;
import dev.colony.agent.BlueprintBinder;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.StreamBlueprint;
import dev.colony.agent.author.ActionPolicy;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentHook;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.Registered.Upcaster;
import dev.colony.agent.author.TypeProvider;
import dev.colony.agent.client.Agents;
import dev.colony.agent.stream.ConsciousnessStream;
import dev.colony.agent.stream.ConsciousnessStream.ConsciousnessStreamFormatter;
import dev.colony.agent.stream.ConsciousnessStream.StreamFilter;
import dev.colony.core.capability.CapabilityType;
import dev.colony.core.registry.BlueprintFile.NestedBlueprints;
import dev.colony.core.registry.BlueprintFile.NestedPolicies;
import dev.colony.core.registry.RegisteredType.Construction;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
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
  private final ToolClasses tools = new ToolClasses();

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
    RegisteredType registered = registered(type);
    return checked(registered, registered.bind(args));
  }

  /** See {@link Blueprint#bind(Class)}. */
  public Blueprint bind(Class<?> type) {
    RegisteredType registered = registered(type);
    return checked(registered, registered.bind());
  }

  /** See {@link BlueprintBinder#tools}. */
  public Blueprint tools(Object object) {
    CapabilityType.of(object.getClass());
    RegisteredType type = registered(object.getClass());
    return checked(type, type.args().isPresent() ? type.bind(object) : type.bind());
  }

  private RegisteredType registered(Class<?> type) {
    return byName.values().stream()
        .filter(one -> one.type() == type)
        .findFirst()
        .or(() -> ToolClasses.of(type))
        .orElseThrow(() ->
            new IllegalArgumentException(
                type.getName()
                    + " is not registered: annotate it with @Registered and add it to a"
                    + " TypeProvider that is a service"));
  }

  private Blueprint checked(RegisteredType type, Blueprint bound) {
    try {
      read(type, bound);
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

  /**
   * What the class of a capability declares, also one of plain objects that offer tools.
   *
   * @throws AgentException as {@link #find} throws it
   */
  public CapabilityType capability(Blueprint blueprint) {
    return CapabilityType.of(named(AgentCapability.class, blueprint).type());
  }

  /** The names under which types of a kind are registered, in order. */
  public List<String> names(Class<?> kind) {
    return byName.values().stream().filter(one -> one.is(kind)).map(RegisteredType::name).toList();
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
            .filter(one -> one.is(kind))
            .filter(one -> one.name().equals(name) || one.name().endsWith("." + name))
            .toList();
    return fitting.stream()
        .filter(one -> one.name().equals(name))
        .findFirst()
        .or(() -> fitting.isEmpty() ? tools.find(kind, name) : Optional.empty())
        .map(List::of)
        .orElse(fitting);
  }

  private RegisteredType named(Class<?> kind, Blueprint blueprint) {
    RegisteredType type = found(kind, blueprint);
    if (!type.is(kind)) {
      throw AgentException.refused(
          "the type "
              + blueprint.type()
              + " is registered here, but is no "
              + kind.getSimpleName());
    }
    return type;
  }

  private RegisteredType found(Class<?> kind, Blueprint blueprint) {
    return Optional.ofNullable(byName.get(blueprint.type()))
        .or(() -> tools.find(kind, blueprint.type()))
        .orElseThrow(() ->
            AgentException.refused(
                kind == AgentCapability.class && ToolClasses.looksLikeClass(blueprint.type())
                    ? ToolClasses.MISSING.formatted(blueprint.type())
                    : "no %s %s is registered here; there are %s"
                        .formatted(
                            kind == Object.class ? "type" : kind.getSimpleName(),
                            blueprint.type(),
                            names(kind))));
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
      if (type.is(AgentCapability.class)) {
        CapabilityType.of(type.type());
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
            offered.add(capability, capability(capability.what()));
          });
    }
    agent.streams().forEach(stream -> part("stream " + stream.name(), () -> check(stream)));
  }

  /**
   * Checks that a node can make a capability by its class alone.
   *
   * @throws AgentException on one line, if only the program that gives the object can
   */
  public void checkMakeable(CapabilityBlueprint capability) {
    if (!named(AgentCapability.class, capability.what()).makeable()) {
      throw AgentException.refused(
          "no node can make the tools %s: spawn the agent with them here, or make them a record or give them a constructor without arguments"
              .formatted(capability.what().type()));
    }
  }

  /** See {@link dev.colony.agent.BlueprintBinder#check(CapabilityBlueprint)}. */
  void checkActions(CapabilityBlueprint capability) {
    Optional.ofNullable(byName.get(capability.what().type()))
        .or(() -> tools.find(AgentCapability.class, capability.what().type()))
        .filter(type -> type.is(AgentCapability.class))
        .ifPresent(type -> new OfferedActions().add(capability, CapabilityType.of(type.type())));
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
        .flatMap(part -> found(AgentCapability.class, part).read(part).stream())
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
    Object made = Construction.of(type, read(type, blueprint), injected);
    return kind.cast(kind.isInstance(made) ? made : ToolClasses.capability(made, injected));
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
    public Blueprint tools(Object object) {
      return AgentTypes.installed().tools(object);
    }

    @Override
    public Blueprint hooks(List<?> hooks) {
      Set<String> names = new LinkedHashSet<>();
      for (Object one : hooks) {
        if (!(one instanceof AgentHook hook)) {
          throw new IllegalArgumentException(
              one.getClass().getName()
                  + " is no hook: make one by AgentHook.before, after or around");
        }
        if (!names.add(hook.name())) {
          throw new IllegalArgumentException("two hooks are named " + hook.name());
        }
      }
      ObjectNode args = JsonNodeFactory.instance.objectNode();
      names.forEach(args.putArray("names")::add);
      return new Blueprint(Agents.HOOKS, args);
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
}
