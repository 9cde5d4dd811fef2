package dev.colony.core.registry;

import dev.colony.agent.AgentException;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.core.capability.CapabilityType;
import dev.colony.core.capability.CapabilityType.Tools;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * Classes of plain objects that offer tools, which travel by the names of their classes, with a dot
 * before that of a nested one. A name comes from a stranger: a class is looked up without being
 * initialized, and is taken only if a method of it is annotated as a tool. Thread-safe.
 */
final class ToolClasses {

  /** Why a node refuses a name that it knows no class of. */
  static final String MISSING =
      "no AgentCapability %1$s is registered here, and this node has no class %1$s with"
          + " @ActionExecutor methods: put its jar on the node's class path";

  private static final Pattern CLASS = Pattern.compile("(?:[a-z0-9_]+\\.)*[A-Z][A-Za-z0-9_.]*");

  private final ClassLoader loader =
      Optional.ofNullable(Thread.currentThread().getContextClassLoader())
          .orElseGet(ToolClasses.class::getClassLoader);

  /** By name; what is not found is looked for again. */
  private final Map<String, RegisteredType> found = new ConcurrentHashMap<>();

  /** Whether a name is written as that of a class is; registered names are not, as a rule. */
  static boolean looksLikeClass(String name) {
    return CLASS.matcher(name).matches();
  }

  /** A class as a type; empty if it offers no tools. */
  static Optional<RegisteredType> of(Class<?> type) {
    return CapabilityType.offersTools(type)
        ? Optional.of(RegisteredType.tools(type))
        : Optional.empty();
  }

  /** The class of a name on the class path, where a capability is looked for and there is one. */
  Optional<RegisteredType> find(Class<?> kind, String name) {
    if (kind != AgentCapability.class || !looksLikeClass(name)) {
      return Optional.empty();
    }
    RegisteredType known = found.get(name);
    if (known != null) {
      return Optional.of(known);
    }
    Optional<RegisteredType> type = load(name).flatMap(ToolClasses::of);
    type.ifPresent(one -> found.put(name, one));
    return type;
  }

  private Optional<Class<?>> load(String name) {
    String binary = name;
    while (true) {
      try {
        return Optional.of(Class.forName(binary, false, loader));
      } catch (ClassNotFoundException | LinkageError none) {
        int dot = binary.lastIndexOf('.');
        if (dot < 0) {
          return Optional.empty();
        }
        StringBuilder nested = new StringBuilder(binary);
        nested.setCharAt(dot, '$');
        binary = nested.toString();
      }
    }
  }

  /** A plain object as a capability. */
  static AgentCapability capability(Object tools, Object... injected) {
    return Arrays.stream(injected)
        .filter(CapabilityContext.class::isInstance)
        .findFirst()
        .map(context -> new Tools((CapabilityContext) context, tools))
        .orElseThrow(() -> AgentException.refused("tools are given to an agent, and here is none"));
  }
}
