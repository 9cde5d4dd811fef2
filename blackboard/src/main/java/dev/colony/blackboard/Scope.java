package dev.colony.blackboard;

import java.util.Objects;
import java.util.Optional;

/**
 * A partition of the blackboard: keys are relative to it, events are ordered within it.
 *
 * <p>Every part is 1 to 128 characters of {@code [A-Za-z0-9._~-]}; {@code colony} is absent for the
 * tenant level only, {@code id} is present for the agent and session levels only.
 *
 * <p>The constructor throws {@link IllegalArgumentException}, naming the part that does not fit.
 */
public record Scope(
    ScopeLevel level,
    String tenant,
    Optional<String> colony,
    Optional<String> id,
    Optional<String> namespace) {

  private static final int MOST_CHARS = 128;

  public Scope {
    Objects.requireNonNull(level, "level");
    check("tenant", tenant);
    colony.ifPresent(part -> check("colony", part));
    id.ifPresent(part -> check(level == ScopeLevel.AGENT ? "agent" : "session", part));
    namespace.ifPresent(part -> check("namespace", part));
    require(colony.isPresent() == (level != ScopeLevel.TENANT), level, "colony");
    require(
        id.isPresent() == (level == ScopeLevel.AGENT || level == ScopeLevel.SESSION), level, "id");
  }

  public static Scope agent(String tenant, String colony, String agent) {
    return new Scope(
        ScopeLevel.AGENT, tenant, Optional.of(colony), Optional.of(agent), Optional.empty());
  }

  public static Scope session(String tenant, String colony, String session) {
    return new Scope(
        ScopeLevel.SESSION, tenant, Optional.of(colony), Optional.of(session), Optional.empty());
  }

  public static Scope colony(String tenant, String colony) {
    return new Scope(
        ScopeLevel.COLONY, tenant, Optional.of(colony), Optional.empty(), Optional.empty());
  }

  public static Scope tenant(String tenant) {
    return new Scope(
        ScopeLevel.TENANT, tenant, Optional.empty(), Optional.empty(), Optional.empty());
  }

  /** The same scope, narrowed to a namespace. */
  public Scope namespace(String name) {
    return new Scope(level, tenant, colony, id, Optional.of(name));
  }

  /**
   * The scope as one string, for example {@code tenant:acme:colony:billing:agent:reviewer}; {@link
   * #parse} reads it back.
   */
  public String path() {
    StringBuilder path = new StringBuilder("tenant:").append(tenant);
    colony.ifPresent(part -> path.append(":colony:").append(part));
    id.ifPresent(
        part -> path.append(level == ScopeLevel.AGENT ? ":agent:" : ":session:").append(part));
    namespace.ifPresent(part -> path.append(":namespace:").append(part));
    return path.toString();
  }

  /** Reads {@link #path} back. */
  public static Scope parse(String path) {
    String[] parts = path.split(":", -1);
    String tenant = null;
    Optional<String> colony = Optional.empty();
    Optional<String> id = Optional.empty();
    Optional<String> namespace = Optional.empty();
    ScopeLevel level = ScopeLevel.TENANT;
    for (int i = 0; i + 1 < parts.length; i += 2) {
      String value = parts[i + 1];
      switch (parts[i]) {
        case "tenant" -> tenant = value;
        case "colony" -> {
          colony = Optional.of(value);
          level = ScopeLevel.COLONY;
        }
        case "agent" -> {
          id = Optional.of(value);
          level = ScopeLevel.AGENT;
        }
        case "session" -> {
          id = Optional.of(value);
          level = ScopeLevel.SESSION;
        }
        case "namespace" -> namespace = Optional.of(value);
        default -> throw new IllegalArgumentException("not a scope path: " + path);
      }
    }
    if (tenant == null) {
      throw new IllegalArgumentException(
          "not a scope path: " + path + "; one begins with tenant:NAME");
    }
    Scope scope = new Scope(level, tenant, colony, id, namespace);
    if (!scope.path().equals(path)) {
      throw new IllegalArgumentException("not a scope path: " + path);
    }
    return scope;
  }

  @Override
  public String toString() {
    return path();
  }

  private static void check(String name, String part) {
    if (part == null || part.isEmpty() || part.length() > MOST_CHARS || !fits(part)) {
      throw new IllegalArgumentException(
          name + " must be 1 to 128 characters of A-Z a-z 0-9 . _ ~ -, but is: " + part);
    }
  }

  /** By hand: a scope is made for each thing that is asked of a blackboard. */
  private static boolean fits(String part) {
    for (int i = 0; i < part.length(); i++) {
      char c = part.charAt(i);
      boolean letter = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z';
      if (!letter && !(c >= '0' && c <= '9') && c != '.' && c != '_' && c != '~' && c != '-') {
        return false;
      }
    }
    return true;
  }

  private static void require(boolean holds, ScopeLevel level, String part) {
    if (!holds) {
      throw new IllegalArgumentException(
          "scope level " + level + " and its " + part + " do not fit");
    }
  }
}
