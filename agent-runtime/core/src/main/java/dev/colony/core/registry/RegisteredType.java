package dev.colony.core.registry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentException;
import dev.colony.agent.Blueprint;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.JsonSchemaCheck;
import dev.colony.agent.author.JsonSchemas;
import dev.colony.agent.author.JsonValues;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.Registered.Upcaster;
import dev.colony.core.capability.CapabilityType;
import dev.colony.core.capability.Weaver;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A class under the name that its blueprints carry, and what its one constructor takes: at most one
 * record of arguments, and objects that the owning node gives. Nothing here makes one.
 */
final class RegisteredType {

  /** Records that the owning node gives, so that they are no arguments. */
  private static final Set<Class<?>> GIVEN = Set.of(CapabilityContext.class, PolicyContext.class);

  /** The arguments of a type that takes none. */
  private record None() {}

  private final Class<?> type;
  private final String name;
  private final int version;
  private final Optional<Upcaster> upcaster;
  private final Constructor<?> constructor;
  private final Optional<Class<?>> args;

  /** Compiled when first needed: a node knows many types and uses few. */
  private volatile JsonSchemaCheck check;

  private RegisteredType(
      Class<?> type,
      String name,
      int version,
      Optional<Upcaster> upcaster,
      Constructor<?> constructor) {
    this.type = type;
    this.name = name;
    this.version = version;
    this.upcaster = upcaster;
    this.constructor = constructor;
    List<Class<?>> records =
        Arrays.stream(constructor.getParameterTypes())
            .filter(one -> one.isRecord() && !GIVEN.contains(one))
            .toList();
    refuse(records.size() > 1, type, "its constructor takes two records: put one into the other");
    this.args = whole() ? Optional.of(type) : records.stream().findFirst();
  }

  /**
   * Reads a class; nothing of it is initialized or instantiated.
   *
   * @throws IllegalStateException on one line, if it cannot be bound
   */
  static RegisteredType of(Class<?> type, Optional<Upcaster> upcaster) {
    Registered name = type.getAnnotation(Registered.class);
    refuse(name == null, type, "it has no name: annotate it with @Registered");
    try {
      new Blueprint(name.value(), name.version(), JsonNodeFactory.instance.objectNode());
    } catch (IllegalArgumentException unfit) {
      throw new IllegalStateException(
          type.getName() + " cannot be bound: " + unfit.getMessage(), unfit);
    }
    refuse(type.isInterface() || Modifier.isAbstract(type.getModifiers()), type, "it is abstract");
    refuse(
        type.isLocalClass()
            || type.isAnonymousClass()
            || type.isMemberClass() && !Modifier.isStatic(type.getModifiers()),
        type,
        "it is an inner class: make it static");
    refuse(
        type.getDeclaredConstructors().length != 1,
        type,
        "it has "
            + type.getDeclaredConstructors().length
            + " constructors, and must have exactly one");
    Weaver.check(type);
    return new RegisteredType(
        type, name.value(), name.version(), upcaster, type.getDeclaredConstructors()[0]);
  }

  /**
   * A class of plain objects that offer tools, by its own name. It is made by the constructor
   * without arguments if it has one; a record is made of its components, which are its arguments.
   *
   * @throws IllegalArgumentException on one line, if no other node could find it by its name
   */
  static RegisteredType tools(Class<?> type) {
    String name = type.getCanonicalName();
    if (name == null || type.isMemberClass() && !Modifier.isStatic(type.getModifiers())) {
      throw new IllegalArgumentException(
          type.getName()
              + " offers tools that no node could make: make it a top-level or static class");
    }
    Constructor<?>[] all = type.getDeclaredConstructors();
    if (all.length == 0) {
      throw new IllegalArgumentException(name + " offers tools and is abstract: give an object");
    }
    Constructor<?> constructor =
        Arrays.stream(all).filter(one -> one.getParameterCount() == 0).findFirst().orElse(all[0]);
    return new RegisteredType(type, name, 1, Optional.empty(), constructor);
  }

  /** Whether it is a record of tools: what it is made of are its own components. */
  private boolean whole() {
    return type.isRecord() && CapabilityType.offersTools(type);
  }

  /** Whether it can serve as a kind; what offers tools can as a capability. */
  boolean is(Class<?> kind) {
    return kind.isAssignableFrom(type)
        || kind == AgentCapability.class && CapabilityType.offersTools(type);
  }

  /** Whether any node that has the class can make one: of plain objects not all can be made. */
  boolean makeable() {
    return !CapabilityType.offersTools(type)
        || whole()
        || Arrays.stream(constructor.getParameterTypes())
            .allMatch(
                one -> one == CapabilityContext.class || args.filter(one::equals).isPresent());
  }

  private static void refuse(boolean wrong, Class<?> type, String why) {
    if (wrong) {
      throw new IllegalStateException(type.getName() + " cannot be bound: " + why);
    }
  }

  String name() {
    return name;
  }

  int version() {
    return version;
  }

  Class<?> type() {
    return type;
  }

  Constructor<?> constructor() {
    return constructor;
  }

  Optional<Class<?>> args() {
    return args;
  }

  /**
   * A blueprint with these arguments.
   *
   * @throws IllegalArgumentException on one line, if they are not the type's own, do not satisfy
   *     their schema, or are not the same when they come back from JSON
   */
  Blueprint bind(Object given) {
    if (args.isEmpty() || !args.get().isInstance(given)) {
      throw new IllegalArgumentException(
          name()
              + " takes "
              + args.map(record -> "a " + record.getName()).orElse("no arguments")
              + ", not "
              + (given == null ? "null" : "a " + given.getClass().getName()));
    }
    return bound(JsonValues.toJson(given));
  }

  /** A blueprint without arguments, if all are optional. */
  Blueprint bind() {
    return bound(JsonNodeFactory.instance.objectNode());
  }

  private Blueprint bound(JsonNode json) {
    Blueprint blueprint = new Blueprint(name, version, json);
    Optional<Object> back = read(blueprint);
    JsonNode again = back.map(JsonValues::toJson).orElse(json);
    if (!new Blueprint(name, version, again).equals(blueprint)) {
      throw new IllegalArgumentException(
          "the arguments of " + name() + " do not come back from JSON as they were");
    }
    return blueprint;
  }

  /**
   * The arguments of a blueprint: brought to the version of here, held against their schema and
   * read. Empty for a type without arguments.
   *
   * @throws IllegalArgumentException on one line, if the version or the arguments are refused
   */
  Optional<Object> read(Blueprint blueprint) {
    JsonNode json = current(blueprint).args();
    List<String> wrong = check().violations(json);
    if (!wrong.isEmpty()) {
      throw unfit(String.join("; ", wrong) + hints(json), null);
    }
    try {
      return args.map(record -> JsonValues.read(json, record));
    } catch (IllegalArgumentException refused) {
      throw unfit(refused.getMessage(), refused);
    }
  }

  /**
   * What of a blueprint's arguments their schema refuses; of an old version, after it was brought
   * to that of here.
   *
   * @throws IllegalArgumentException on one line, if the version is refused
   */
  List<JsonSchemaCheck.Violation> violations(Blueprint blueprint) {
    return check().located(current(blueprint).args());
  }

  private String hints(JsonNode json) {
    return check().located(json).stream()
        .filter(one -> one.where().matches())
        .flatMap(one -> one.field().stream())
        .map(this::hint)
        .distinct()
        .collect(Collectors.joining());
  }

  /**
   * Says of a field that the arguments do not have in which of them it belongs; empty where it
   * belongs in none.
   */
  String hint(String field) {
    if (args.isEmpty() || has(args.get(), field)) {
      return "";
    }
    return Arrays.stream(args.get().getRecordComponents())
        .filter(one -> has(plain(one.getGenericType()), field))
        .findFirst()
        .map(one -> "; %s belongs in %s".formatted(field, one.getName()))
        .orElse("");
  }

  private static boolean has(Class<?> type, String component) {
    return type.isRecord()
        && Arrays.stream(type.getRecordComponents())
            .anyMatch(one -> one.getName().equals(component));
  }

  /** The class of a component, be it optional or not. */
  private static Class<?> plain(Type type) {
    return switch (type) {
      case Class<?> raw -> raw;
      case ParameterizedType generic when generic.getRawType() == Optional.class ->
          plain(generic.getActualTypeArguments()[0]);
      default -> Object.class;
    };
  }

  private IllegalArgumentException unfit(String why, Exception cause) {
    return new IllegalArgumentException(
        "the arguments of " + name() + " do not fit: " + why, cause);
  }

  private JsonSchemaCheck check() {
    JsonSchemaCheck known = check;
    if (known == null) {
      known = JsonSchemaCheck.of(schema());
      check = known;
    }
    return known;
  }

  /** Of the arguments; of a type without any, that of an empty object. */
  JsonNode schema() {
    return args.map(JsonSchemas::input).orElseGet(() -> JsonSchemas.input(None.class));
  }

  /** The blueprint as this version has it, one version after the other. */
  private Blueprint current(Blueprint blueprint) {
    if (blueprint.version() > version) {
      throw new IllegalArgumentException(
          name()
              + " is known here up to version "
              + version
              + ", not "
              + blueprint.version()
              + ": it was bound by a newer release");
    }
    Blueprint at = blueprint;
    while (at.version() < version) {
      at = next(at);
    }
    return at;
  }

  private Blueprint next(Blueprint old) {
    Upcaster step =
        upcaster.orElseThrow(() ->
            new IllegalArgumentException(
                "version " + old.version() + " of " + name() + " is no longer understood"));
    try {
      return new Blueprint(
          name(), old.version() + 1, step.upcast(old.version(), old.args().deepCopy()));
    } catch (RuntimeException refused) {
      throw new IllegalArgumentException(
          name()
              + " cannot be brought from version "
              + old.version()
              + " to "
              + (old.version() + 1)
              + ": "
              + refused.getMessage(),
          refused);
    }
  }

  /** Makes what is registered, once everything about it has been checked. */
  static final class Construction {

    private Construction() {}

    /**
     * Calls the constructor, of the woven class where there are hookable methods.
     *
     * @param args what it takes as its arguments
     * @param injected what it may ask for by type
     * @throws AgentException if it asks for more, or refuses
     */
    static Object of(RegisteredType type, Optional<Object> args, Object... injected) {
      if (type.whole()) {
        return args.orElseThrow();
      }
      Constructor<?> constructor = type.constructor();
      Object[] given =
          Arrays.stream(constructor.getParameterTypes())
              .map(wanted ->
                  type.args().filter(wanted::equals).isPresent()
                      ? args.orElseThrow()
                      : injected(type, wanted, injected))
              .toArray();
      try {
        return Weaver.construct(constructor, given);
      } catch (InvocationTargetException refused) {
        throw refused(type, refused.getCause());
      } catch (ReflectiveOperationException | RuntimeException broken) {
        throw refused(type, broken);
      }
    }

    private static Object injected(RegisteredType type, Class<?> wanted, Object... injected) {
      return Arrays.stream(injected)
          .filter(wanted::isInstance)
          .findFirst()
          .orElseThrow(() ->
              AgentException.refused(
                  type.name() + " asks for a " + wanted.getName() + ", which is not given here"));
    }

    private static AgentException refused(RegisteredType type, Throwable why) {
      if (why instanceof VirtualMachineError fatal && !(why instanceof StackOverflowError)) {
        throw fatal;
      }
      String message = why.getMessage() == null ? why.getClass().getSimpleName() : why.getMessage();
      return new AgentException(type.name() + " could not be made: " + message, why, false);
    }
  }
}
