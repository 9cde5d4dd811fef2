package dev.colony.server;

import dev.colony.blackboard.Scope;
import java.util.Objects;
import java.util.Optional;

/**
 * The holder of a key.
 *
 * @param name of the key, for people and for the attribution of what is done with it
 * @param tenant whose agents and entries it reaches; {@value #EVERY_TENANT} for all tenants'
 */
public record Principal(String name, String tenant, Role role) {

  /** In place of a tenant. */
  public static final String EVERY_TENANT = "*";

  /** A caller of a node that has no keys, which only listens to its own machine. */
  public static final Principal LOCAL = new Principal("local", EVERY_TENANT, Role.ADMIN);

  public Principal {
    if (name.isBlank() || name.length() > 128) {
      throw new IllegalArgumentException("the name of a key is 1 to 128 characters, not: " + name);
    }
    if (!tenant.equals(EVERY_TENANT)) {
      Scope.tenant(tenant);
    }
    Objects.requireNonNull(role, "role");
  }

  public boolean everyTenant() {
    return tenant.equals(EVERY_TENANT);
  }

  public boolean reaches(String other) {
    return everyTenant() || tenant.equals(other);
  }

  /**
   * What the holder says of itself or of its reasons, behind the name of its key, which it cannot
   * choose: so it is kept. Without keys there is no such name.
   */
  public String signed(Optional<String> words) {
    String said = words.orElse("");
    if (equals(LOCAL)) {
      return said;
    }
    return "key " + name + (said.isEmpty() ? "" : ": " + said);
  }

  /** What the holder of a key may do, each role all that those before it may. */
  public enum Role {
    /** Look. */
    VIEWER,
    /** Ask agents to run, tell them things, make new ones. */
    OPERATOR,
    /** End agents for good. */
    ADMIN;

    /** Whether it may do what this role is the least for. */
    public boolean covers(Role least) {
      return compareTo(least) >= 0;
    }
  }
}
