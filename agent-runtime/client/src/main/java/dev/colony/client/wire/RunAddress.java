package dev.colony.client.wire;

import dev.colony.agent.RunOptions;
import dev.colony.agent.SessionId;
import dev.colony.blackboard.ScopeLevel;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import dev.colony.blackboard.protocol.RequestProtocol;
import dev.colony.blackboard.protocol.WorkAssignmentProtocol;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Where a run's entries stand, as the query parameters that name it beside its id: {@code
 * namespace} and, where they are not the default, {@code protocol} (run, work), {@code scope}
 * (agent, session, colony, tenant) and {@code sessionId}.
 */
public final class RunAddress {

  public static final String NAMESPACE = "namespace";
  public static final String PROTOCOL = "protocol";
  public static final String SCOPE = "scope";
  public static final String SESSION_ID = "sessionId";

  private RunAddress() {}

  /**
   * The parameters of a run that is asked for with these options.
   *
   * @throws IllegalArgumentException if its protocol does not travel
   */
  public static Map<String, String> parameters(RunOptions options) {
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put(NAMESPACE, options.namespace());
    ProtocolName protocol = ProtocolName.of(options.protocol());
    if (protocol != ProtocolName.RUN) {
      parameters.put(PROTOCOL, protocol.word());
    }
    if (options.scope() != ScopeLevel.AGENT) {
      parameters.put(SCOPE, word(options.scope()));
    }
    options.session().ifPresent(id -> parameters.put(SESSION_ID, id.value()));
    return parameters;
  }

  /**
   * Reads {@link #parameters} back; other parameters are passed over.
   *
   * @throws IllegalArgumentException on one line, if the namespace is missing or something is not
   *     what it should be
   */
  public static RunOptions options(Map<String, String> parameters) {
    return options(
        Optional.ofNullable(parameters.get(NAMESPACE)),
        Optional.ofNullable(parameters.get(PROTOCOL)),
        Optional.ofNullable(parameters.get(SCOPE)),
        Optional.ofNullable(parameters.get(SESSION_ID)).map(SessionId::new));
  }

  static RunOptions options(
      Optional<String> namespace,
      Optional<String> protocol,
      Optional<String> scope,
      Optional<SessionId> session) {
    RunOptions options =
        RunOptions.namespace(
                namespace.orElseThrow(() ->
                    new IllegalArgumentException(
                        "a run needs a namespace: that of the capability that handles it")))
            .protocol(protocol.map(ProtocolName::of).orElse(ProtocolName.RUN).protocol())
            .scope(scope.map(RunAddress::scope).orElse(ScopeLevel.AGENT));
    return session.map(options::session).orElse(options);
  }

  static String word(ScopeLevel scope) {
    return scope.name().toLowerCase(Locale.ROOT);
  }

  private static ScopeLevel scope(String word) {
    return Arrays.stream(ScopeLevel.values())
        .filter(one -> word(one).equals(word))
        .findAny()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "a scope is "
                    + Arrays.stream(ScopeLevel.values())
                        .map(RunAddress::word)
                        .collect(Collectors.joining(", "))
                    + ", not: "
                    + word));
  }

  /**
   * The protocols that a run can be asked for with over HTTP, by the names that they have there.
   */
  enum ProtocolName {
    RUN("run", AgentRunProtocol.class, AgentRunProtocol::new),
    WORK("work", WorkAssignmentProtocol.class, WorkAssignmentProtocol::new);

    private final String word;
    private final Class<? extends RequestProtocol> type;
    private final Supplier<RequestProtocol> maker;

    ProtocolName(
        String word, Class<? extends RequestProtocol> type, Supplier<RequestProtocol> maker) {
      this.word = word;
      this.type = type;
      this.maker = maker;
    }

    String word() {
      return word;
    }

    RequestProtocol protocol() {
      return maker.get();
    }

    /**
     * @throws IllegalArgumentException if it has no name over HTTP
     */
    static ProtocolName of(RequestProtocol protocol) {
      return Arrays.stream(values())
          .filter(one -> one.type == protocol.getClass())
          .findAny()
          .orElseThrow(() ->
              new IllegalArgumentException(
                  "over HTTP a run is asked for with "
                      + Arrays.stream(values())
                          .map(one -> one.type.getSimpleName())
                          .collect(Collectors.joining(" or "))
                      + ", not with "
                      + protocol.getClass().getSimpleName()));
    }

    /**
     * @throws IllegalArgumentException if there is none of that name
     */
    static ProtocolName of(String word) {
      return Arrays.stream(values())
          .filter(one -> one.word.equals(word))
          .findAny()
          .orElseThrow(() ->
              new IllegalArgumentException(
                  "a protocol is "
                      + Arrays.stream(values())
                          .map(ProtocolName::word)
                          .collect(Collectors.joining(" or "))
                      + ", not: "
                      + word));
    }
  }
}
