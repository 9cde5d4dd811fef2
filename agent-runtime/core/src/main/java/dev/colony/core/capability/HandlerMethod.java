package dev.colony.core.capability;

import dev.colony.agent.EventBatch;
import dev.colony.agent.RunRequest;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.EventHandler;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.blackboard.protocol.Protocol;
import dev.colony.blackboard.value.ValueMapper;
import dev.colony.core.capability.CapabilityType.AnnotatedMethods;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * An {@link EventHandler} method as it was read.
 *
 * @param protocol empty where the patterns are spelled out
 */
record HandlerMethod(
    Method method, Optional<Protocol> protocol, List<KeyGlob> globs, String contextKey) {

  static final int MOST_PATTERNS = 16;

  private static final int MOST_STARS = 4;
  private static final AgentRunProtocol RUNS = new AgentRunProtocol();

  static HandlerMethod read(Method method) {
    EventHandler declared = method.getAnnotation(EventHandler.class);
    boolean ofProtocol = declared.protocol() != Protocol.class;
    if (ofProtocol == declared.pattern().length > 0) {
      throw AnnotatedMethods.refused(
          method, "needs either patterns or a protocol to say which events it handles");
    }
    if (method.getParameterCount() != 1) {
      throw AnnotatedMethods.refused(
          method, "takes " + method.getParameterCount() + " parameters, not the event alone");
    }
    HandlerMethod handler =
        new HandlerMethod(
            method,
            ofProtocol ? Optional.of(make(method, declared.protocol())) : Optional.empty(),
            Arrays.stream(declared.pattern()).map(text -> glob(method, text)).toList(),
            declared.contextKey().isEmpty() ? method.getName() : declared.contextKey());
    if (handler.globs().size() > MOST_PATTERNS) {
      throw AnnotatedMethods.refused(
          method, "has " + handler.globs().size() + " patterns, more than " + MOST_PATTERNS);
    }
    return handler;
  }

  private static KeyGlob glob(Method method, String text) {
    try {
      KeyGlob glob = new KeyGlob(text);
      if (text.chars().filter(c -> c == '*').count() > MOST_STARS) {
        throw new IllegalArgumentException("it has more than " + MOST_STARS + " stars");
      }
      return glob;
    } catch (IllegalArgumentException unfit) {
      throw AnnotatedMethods.refused(
          method, "has the pattern \"" + text + "\": " + unfit.getMessage());
    }
  }

  private static Protocol make(Method method, Class<? extends Protocol> type) {
    try {
      return type.getConstructor().newInstance();
    } catch (ReflectiveOperationException unfit) {
      throw AnnotatedMethods.refused(
          method,
          "names " + type.getSimpleName() + ", which has no public constructor without arguments");
    }
  }

  List<KeyGlob> patterns(String agent) {
    return protocol.map(spoken -> spoken.inputPatterns(agent)).orElse(globs);
  }

  /**
   * The keys for which the agent is to be woken. Requests to run this very agent come to it through
   * the inbox, each as a run: waking it for them too would have it do them twice.
   *
   * @param own whether the scope is the agent's own
   */
  List<KeyGlob> wakePatterns(String agent, boolean own) {
    return own && ofRuns() ? List.of() : patterns(agent);
  }

  /** Whether an event is for it. A request that is a run of the agent's own comes as that. */
  boolean takes(String agent, boolean own, EventBatch.Event event) {
    boolean comesAsRun = own && takesRequests() && RUNS.requestId(event.key()).isPresent();
    return !comesAsRun && patterns(agent).stream().anyMatch(glob -> glob.matches(event.key()));
  }

  /** Whether it handles the agent's own runs in its capability's namespace. */
  boolean takesRuns() {
    return takesRequests() && ofRuns();
  }

  private boolean takesRequests() {
    return method.getParameterTypes()[0] == RunRequest.class;
  }

  private boolean ofRuns() {
    return protocol.filter(AgentRunProtocol.class::isInstance).isPresent();
  }

  Optional<EventHandler.Context> handle(AgentCapability target, EventBatch.Event event)
      throws Exception {
    Class<?> wanted = method.getParameterTypes()[0];
    if (wanted == EventBatch.Event.class) {
      return call(target, event);
    }
    if (event.value().isEmpty()) {
      throw new IllegalArgumentException(
          "the value of \""
              + event.key()
              + "\" is too large to be delivered: a handler of such"
              + " events takes the event and reads the blackboard");
    }
    Object value =
        wanted == RunRequest.class
            ? RunRequest.fromJson(event.value().get())
            : ValueMapper.read(event.key(), event.value().get(), wanted);
    return call(target, value);
  }

  Optional<EventHandler.Context> call(AgentCapability target, Object argument) throws Exception {
    Object returned;
    try {
      returned = method.invoke(target, argument);
    } catch (InvocationTargetException thrown) {
      throw Thrown.by(thrown);
    }
    return switch (returned) {
      case null -> Optional.empty();
      case EventHandler.Context context -> Optional.of(context);
      case Optional<?> maybe -> maybe.map(value -> new EventHandler.Context(contextKey, value));
      default -> Optional.of(new EventHandler.Context(contextKey, returned));
    };
  }

  /** What a method that was called by reflection has thrown. */
  static final class Thrown {

    private Thrown() {}

    /**
     * The exception itself.
     *
     * @throws Error if it is one
     */
    static Exception by(InvocationTargetException thrown) {
      return switch (thrown.getCause()) {
        case Error error -> throw error;
        case Exception failure -> failure;
        default -> thrown;
      };
    }
  }
}
