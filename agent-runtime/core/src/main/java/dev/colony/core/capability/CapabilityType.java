package dev.colony.core.capability;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.EventBatch;
import dev.colony.agent.RunRequest;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.author.ActionContext;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.ActionProvider;
import dev.colony.agent.author.ActionProvider.ActionSource;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.Background;
import dev.colony.agent.author.EventHandler;
import dev.colony.agent.author.Registered;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.core.capability.CapabilityType.AnnotatedMethods;
import dev.colony.core.capability.HandlerMethod.Thrown;
import java.lang.annotation.Annotation;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What a capability's class says of itself by its annotations. Read once for each class, nothing
 * being instantiated; immutable and thread-safe.
 */
public final class CapabilityType {

  private static final ClassValue<CapabilityType> TYPES =
      new ClassValue<>() {
        @Override
        protected CapabilityType computeValue(Class<?> type) {
          return new CapabilityType(type);
        }
      };

  private final boolean source;
  private final List<ActionMethod> actions;
  private final List<HandlerMethod> handlers;
  private final List<BackgroundMethod> backgrounds;

  private CapabilityType(Class<?> type) {
    actions = read(type, ActionExecutor.class, ActionMethod::read);
    handlers = read(type, EventHandler.class, HandlerMethod::read);
    backgrounds = read(type, Background.class, BackgroundMethod::read);
    source = ActionSource.class.isAssignableFrom(type);
    if (!AgentCapability.class.isAssignableFrom(type)) {
      checkTools(type);
    }
    if (source && !actions.isEmpty()) {
      throw new IllegalArgumentException(
          type.getSimpleName() + " is an ActionSource and declares actions by methods: do either");
    }
    differ(type, "actions", actions, one -> one.key("capability"));
    differ(type, "background processes", backgrounds, BackgroundMethod::name);
    int patterns = patterns("any").size();
    if (patterns > HandlerMethod.MOST_PATTERNS) {
      throw new IllegalArgumentException(
          type.getSimpleName()
              + " handles events by "
              + patterns
              + " patterns, more than "
              + HandlerMethod.MOST_PATTERNS);
    }
  }

  private void checkTools(Class<?> type) {
    if (actions.isEmpty()) {
      throw new IllegalArgumentException(
          type.getSimpleName() + " offers no tool: annotate a method with @ActionExecutor");
    }
    if (!handlers.isEmpty() || !backgrounds.isEmpty()) {
      throw new IllegalArgumentException(
          type.getSimpleName()
              + " handles events or works in the background: let it extend AgentCapability");
    }
  }

  /** Whether a class is one of plain objects that offer tools; its methods are not looked at. */
  public static boolean offersTools(Class<?> type) {
    return !AgentCapability.class.isAssignableFrom(type)
        && Stream.<Class<?>>iterate(type, Objects::nonNull, Class::getSuperclass)
            .flatMap(at -> Arrays.stream(at.getDeclaredMethods()))
            .anyMatch(method -> method.isAnnotationPresent(ActionExecutor.class));
  }

  /**
   * Reads the class of a capability, or of plain objects whose {@link ActionExecutor} methods are
   * tools; costs a look-up when it was read before. A woven class is read as the one that it was
   * made of.
   *
   * @throws IllegalArgumentException if an annotation of it cannot be honoured, in one line that
   *     names the method
   */
  public static CapabilityType of(Class<?> type) {
    return TYPES.get(Weaver.original(type));
  }

  /** Whether its actions are those that its class declares; otherwise instances tell them. */
  public boolean declaresActions() {
    return !source;
  }

  /**
   * The actions that it declares, under a capability key.
   *
   * @param usualTimeout of an action that declares none
   */
  public List<ActionDescription> actions(String capabilityKey, Duration usualTimeout) {
    return actions.stream().map(one -> one.describe(capabilityKey, usualTimeout)).toList();
  }

  /**
   * The writes for which an agent is to be woken, relative to the capability's scope. Requests to
   * run the agent itself are none of them: these come as runs.
   */
  public Set<KeyGlob> wakePatterns(AgentId agent, Scope scope) {
    Set<KeyGlob> patterns = new LinkedHashSet<>();
    boolean own = own(agent, scope);
    handlers.forEach(handler -> patterns.addAll(handler.wakePatterns(agent.name(), own)));
    return patterns;
  }

  public List<BackgroundMethod> backgrounds() {
    return backgrounds;
  }

  /** The actions of an instance, for a dispatcher. */
  public static ActionProvider provider(AgentCapability capability, Duration usualTimeout) {
    if (capability instanceof ActionSource source) {
      return source.actions();
    }
    Object target = capability instanceof Tools tools ? tools.object : capability;
    return new CapabilityActions(capability, target, of(target.getClass()).actions, usualTimeout);
  }

  /** Whether a scope is an agent's own or a namespace of that. */
  private static boolean own(AgentId agent, Scope scope) {
    Scope own = agent.scope();
    return scope.equals(scope.namespace().map(own::namespace).orElse(own));
  }

  private static boolean own(AgentCapability capability) {
    return !capability.detached() && own(capability.agent().id(), capability.scope());
  }

  /**
   * Has the {@link EventHandler} methods of a capability handle an event, in the order in which the
   * class declares them.
   *
   * @param scope in which it happened; events of other scopes than the capability's are passed over
   * @return the contexts that the handlers returned
   * @throws Exception of the first handler that fails; those after it are not called
   */
  public static List<EventHandler.Context> handle(
      AgentCapability capability, Scope scope, EventBatch.Event event) throws Exception {
    if (!scope.equals(capability.scope())) {
      return List.of();
    }
    // Protocols address it under its agent's name, or a detached one under its own.
    String listener =
        capability.detached() ? capability.capabilityKey() : capability.agent().id().name();
    boolean own = own(capability);
    List<EventHandler.Context> contexts = new ArrayList<>();
    for (HandlerMethod handler : of(capability.getClass()).handlers) {
      if (handler.takes(listener, own, event)) {
        handler.handle(capability, event).ifPresent(contexts::add);
      }
    }
    return contexts;
  }

  /**
   * Has those of a capability's {@link EventHandler} methods handle a run that take the agent's
   * {@link RunRequest}s. A run of another namespace than the capability's is passed over.
   *
   * @return the contexts that the handlers returned
   * @throws Exception of the first handler that fails
   */
  public static List<EventHandler.Context> handle(AgentCapability capability, RunRequest request)
      throws Exception {
    List<EventHandler.Context> contexts = new ArrayList<>();
    if (own(capability)
        && capability.scope().namespace().filter(request.namespace()::equals).isPresent()) {
      for (HandlerMethod handler : of(capability.getClass()).handlers) {
        if (handler.takesRuns()) {
          handler.call(capability, request).ifPresent(contexts::add);
        }
      }
    }
    return contexts;
  }

  private Set<KeyGlob> patterns(String agent) {
    Set<KeyGlob> patterns = new HashSet<>();
    handlers.forEach(handler -> patterns.addAll(handler.patterns(agent)));
    return patterns;
  }

  /**
   * A plain object as a capability: its {@link ActionExecutor} methods are the actions. Nothing of
   * it is kept, and closing the capability leaves the object as it is.
   */
  public static final class Tools extends AgentCapability {

    private final Object object;

    /**
     * @param object of a class that {@link CapabilityType#of} reads
     */
    public Tools(CapabilityContext context, Object object) {
      super(context);
      this.object = object;
    }
  }

  private static <T> List<T> read(
      Class<?> type, Class<? extends Annotation> annotation, Function<Method, T> reading) {
    return AnnotatedMethods.of(type, annotation).stream().map(reading).toList();
  }

  private static <T> void differ(
      Class<?> type, String what, List<T> all, Function<T, String> name) {
    Set<String> names = new HashSet<>();
    for (T one : all) {
      if (!names.add(name.apply(one))) {
        throw new IllegalArgumentException(
            "two " + what + " of " + type.getSimpleName() + " are named " + name.apply(one));
      }
    }
  }

  /**
   * Finds the methods of a capability's class that carry an annotation, inherited ones included.
   */
  static final class AnnotatedMethods {

    private AnnotatedMethods() {}

    /**
     * In the order of the classes, the base class first, and of the names within one. A method that
     * is overridden counts once; the annotation nearest to the class holds.
     *
     * @throws IllegalArgumentException if one is static or abstract
     */
    static <A extends Annotation> List<Method> of(Class<?> type, Class<A> annotation) {
      List<Method> found = new ArrayList<>();
      Set<String> known = new HashSet<>();
      for (Class<?> at = type; at != AgentCapability.class && at != null; at = at.getSuperclass()) {
        Method[] declared = at.getDeclaredMethods();
        Arrays.sort(declared, Comparator.comparing(AnnotatedMethods::signature).reversed());
        for (Method method : declared) {
          if (!method.isSynthetic()
              && method.isAnnotationPresent(annotation)
              && known.add(signature(method))) {
            check(method, annotation);
            method.setAccessible(true);
            found.add(method);
          }
        }
      }
      Collections.reverse(found);
      return List.copyOf(found);
    }

    static String name(Method method) {
      return method.getDeclaringClass().getSimpleName() + "." + method.getName();
    }

    static IllegalArgumentException refused(Method method, String why) {
      return new IllegalArgumentException(name(method) + " " + why);
    }

    private static void check(Method method, Class<? extends Annotation> annotation) {
      if (Modifier.isStatic(method.getModifiers()) || Modifier.isAbstract(method.getModifiers())) {
        throw refused(
            method, "is static or abstract: @" + annotation.getSimpleName() + " needs a method");
      }
    }

    private static String signature(Method method) {
      return method.getName() + Arrays.toString(method.getParameterTypes());
    }
  }

  /**
   * A {@link Background} method as it was read.
   *
   * @param name unique within its capability
   * @param effect for the planning prompt
   * @param every the pause between two calls
   */
  public record BackgroundMethod(String name, String effect, Duration every, Method method) {

    static BackgroundMethod read(Method method) {
      Background declared = method.getAnnotation(Background.class);
      if (method.getParameterCount() > 0) {
        throw AnnotatedMethods.refused(
            method, "takes parameters: a @Background method is called without any");
      }
      Duration every =
          DurationText.parse(declared.every())
              .orElseThrow(() ->
                  AnnotatedMethods.refused(
                      method,
                      "pauses for \"" + declared.every() + "\", which is no 30s, 2m or 1h"));
      return new BackgroundMethod(
          declared.name().isEmpty() ? method.getName() : declared.name(),
          declared.effect(),
          every,
          method);
    }

    /**
     * Calls it once.
     *
     * @throws Exception what the method throws
     */
    public void call(AgentCapability capability) throws Exception {
      try {
        method.invoke(capability);
      } catch (InvocationTargetException thrown) {
        throw Thrown.by(thrown);
      }
    }
  }

  /** Durations as annotations spell them: {@code 200ms}, {@code 30s}, {@code 2m}, {@code 1h}. */
  static final class DurationText {

    private static final Pattern TEXT = Pattern.compile("(\\d{1,9})(ms|s|m|h)");
    private static final Duration LONGEST = Duration.ofDays(1);

    private DurationText() {}

    /** Empty if it is no duration, or not within 1 ms to 24 h. */
    static Optional<Duration> parse(String text) {
      Matcher matcher = TEXT.matcher(text);
      if (!matcher.matches()) {
        return Optional.empty();
      }
      long amount = Long.parseLong(matcher.group(1));
      Duration duration =
          switch (matcher.group(2)) {
            case "ms" -> Duration.ofMillis(amount);
            case "s" -> Duration.ofSeconds(amount);
            case "m" -> Duration.ofMinutes(amount);
            default -> Duration.ofHours(amount);
          };
      return duration.isZero() || duration.compareTo(LONGEST) > 0
          ? Optional.empty()
          : Optional.of(duration);
    }
  }

  /** The actions of one capability. */
  static final class CapabilityActions implements ActionProvider {

    private final AgentCapability capability;
    private final Object target;
    private final Map<String, ActionMethod> methods = new LinkedHashMap<>();
    private final List<ActionDescription> actions;

    CapabilityActions(
        AgentCapability capability,
        Object target,
        List<ActionMethod> methods,
        Duration usualTimeout) {
      this.capability = capability;
      this.target = target;
      String name = capability.capabilityKey();
      methods.forEach(method -> this.methods.put(method.key(name), method));
      this.actions = methods.stream().map(method -> method.describe(name, usualTimeout)).toList();
    }

    @Override
    public String name() {
      return capability.capabilityKey();
    }

    @Override
    public String summary() {
      return capability.summary().orElseGet(this::summaryOfType);
    }

    private String summaryOfType() {
      for (Class<?> at = target.getClass(); at != null; at = at.getSuperclass()) {
        Registered registered = at.getAnnotation(Registered.class);
        if (registered != null) {
          return registered.summary();
        }
      }
      return "";
    }

    @Override
    public List<ActionDescription> actions() {
      return actions;
    }

    @Override
    public int attempts(String key) {
      return methods.get(key).attempts();
    }

    @Override
    public List<String> violations(String key, JsonNode params) {
      return methods.get(key).violations(params);
    }

    @Override
    public Object execute(String key, ObjectNode params, ActionContext context) throws Exception {
      return methods.get(key).call(target, params, context);
    }
  }
}
