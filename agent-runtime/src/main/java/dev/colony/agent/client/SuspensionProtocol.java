package dev.colony.agent.client;

import dev.colony.blackboard.key.KeyGlob;
import dev.colony.blackboard.protocol.KeyTemplate;
import dev.colony.blackboard.protocol.Protocol;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a suspended agent may be told besides the signals of its life, on its own scope: what a
 * person said to something that it asked for, {@code approval:{request}}; that something of its own
 * naming has happened, {@code custom:{key}}; and that the condition of one of its suspensions
 * holds, {@code met:{suspension}}.
 */
public final class SuspensionProtocol implements Protocol {

  private static final String REQUEST = "request";
  private static final String KEY = "key";
  private static final String SUSPENSION = "suspension";

  private final KeyTemplate approval = KeyTemplate.of("approval:{request}");
  private final KeyTemplate custom = KeyTemplate.of("custom:{key}");
  private final KeyTemplate met = KeyTemplate.of("met:{suspension}");

  public String approvalKey(String request) {
    return approval.format(Map.of(REQUEST, request));
  }

  public String customKey(String key) {
    return custom.format(Map.of(KEY, key));
  }

  public String metKey(long suspension) {
    return met.format(Map.of(SUSPENSION, Long.toString(suspension)));
  }

  /** What is approved or denied, if this is the key of an approval. */
  public Optional<String> approvedRequest(String key) {
    return approval.parse(key).map(parts -> parts.get(REQUEST));
  }

  /** The signal of the application's own, if this is the key of one. */
  public Optional<String> custom(String key) {
    return custom.parse(key).map(parts -> parts.get(KEY));
  }

  /** The number of the suspension, if this is the key of a condition that was met. */
  public Optional<Long> metSuspension(String key) {
    return met.parse(key)
        .map(parts -> parts.get(SUSPENSION))
        .filter(number -> number.matches("[0-9]{1,18}"))
        .map(Long::parseLong);
  }

  @Override
  public List<KeyGlob> inputPatterns(String agent) {
    return List.of(approval.pattern(), custom.pattern(), met.pattern());
  }
}
