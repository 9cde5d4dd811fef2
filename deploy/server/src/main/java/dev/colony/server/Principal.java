package dev.colony.server;

import dev.colony.blackboard.Scope;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * A caller that is known.
 *
 * @param name of the key, or the subject of the token; for people and for the attribution of what
 *     is done
 * @param tenant whose agents and entries it reaches; {@value #EVERY_TENANT} for all tenants'
 * @param credential by which the caller is known
 */
public record Principal(String name, String tenant, Role role, Credential credential) {

  /** In place of a tenant. */
  public static final String EVERY_TENANT = "*";

  /** A caller of a node that has no keys, which only listens to its own machine. */
  public static final Principal LOCAL =
      new Principal("local", EVERY_TENANT, Role.ADMIN, Credential.NONE);

  /** Of a name. */
  static final int MOST_CHARACTERS = 128;

  /** By what a caller is known. */
  public enum Credential {
    NONE,
    KEY,
    TOKEN
  }

  public Principal {
    if (name.isBlank() || name.length() > MOST_CHARACTERS) {
      throw new IllegalArgumentException("the name of a key is 1 to 128 characters, not: " + name);
    }
    if (!tenant.equals(EVERY_TENANT)) {
      Scope.tenant(tenant);
    }
    Objects.requireNonNull(role, "role");
  }

  /** The holder of a key. */
  public Principal(String name, String tenant, Role role) {
    this(name, tenant, role, Credential.KEY);
  }

  /** Tells the holders of keys and of tokens apart, whatever their names: {@code key ci}. */
  public String title() {
    return switch (credential) {
      case NONE -> name;
      case KEY -> "key " + name;
      case TOKEN -> "token " + name;
    };
  }

  /** As whom it writes entries: under the name of its key, or the title of its token. */
  public String writer() {
    return credential == Credential.TOKEN ? title() : name;
  }

  public boolean everyTenant() {
    return tenant.equals(EVERY_TENANT);
  }

  public boolean reaches(String other) {
    return everyTenant() || tenant.equals(other);
  }

  /**
   * What the caller says of itself or of its reasons, behind its title, which it cannot choose: so
   * it is kept. Without keys there is no such title.
   */
  public String signed(Optional<String> words) {
    String said = words.orElse("");
    if (equals(LOCAL)) {
      return said;
    }
    return title() + (said.isEmpty() ? "" : ": " + said);
  }

  /** What a caller may do, each role all that those before it may. */
  public enum Role {
    /** Look. */
    VIEWER,
    /** Ask agents to run, tell them things, make new ones. */
    OPERATOR,
    /** End agents for good. */
    ADMIN;

    /** As files, claims and documents have it. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** The role of a word; empty if there is no such role. */
    public static Optional<Role> named(String word) {
      return Arrays.stream(values()).filter(role -> role.word().equals(word)).findFirst();
    }

    /** Whether it may do what this role is the least for. */
    public boolean covers(Role least) {
      return compareTo(least) >= 0;
    }
  }
}
