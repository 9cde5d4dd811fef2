package dev.colony.client;

import dev.colony.blackboard.protocol.KeyGlob;
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

  private static final KeyTemplate APPROVAL = KeyTemplate.of("approval:{request}");
  private static final KeyTemplate CUSTOM = KeyTemplate.of("custom:{key}");
  private static final KeyTemplate MET = KeyTemplate.of("met:{suspension}");

  public String approvalKey(String request) {
    return APPROVAL.format(Map.of(REQUEST, request));
  }

  public String customKey(String key) {
    return CUSTOM.format(Map.of(KEY, key));
  }

  public String metKey(long suspension) {
    return MET.format(Map.of(SUSPENSION, Long.toString(suspension)));
  }

  /** What is approved or denied, if this is the key of an approval. */
  public Optional<String> approvedRequest(String key) {
    return APPROVAL.parse(key).map(parts -> parts.get(REQUEST));
  }

  /** The signal of the application's own, if this is the key of one. */
  public Optional<String> custom(String key) {
    return CUSTOM.parse(key).map(parts -> parts.get(KEY));
  }

  /** The number of the suspension, if this is the key of a condition that was met. */
  public Optional<Long> metSuspension(String key) {
    return MET.parse(key)
        .map(parts -> parts.get(SUSPENSION))
        .filter(number -> number.matches("[0-9]{1,18}"))
        .map(Long::parseLong);
  }

  @Override
  public List<KeyGlob> inputPatterns(String agent) {
    return List.of(APPROVAL.pattern(), CUSTOM.pattern(), MET.pattern());
  }
}
