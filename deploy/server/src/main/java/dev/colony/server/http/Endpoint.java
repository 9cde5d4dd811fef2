package dev.colony.server.http;

import dev.colony.server.access.Principal;
import dev.colony.server.access.Role;
import java.util.Set;
import java.util.TreeSet;

/**
 * One operation of the API. Immutable.
 *
 * @param operationId names it in the OpenAPI document
 * @param least the role that a key must have at least
 * @param reach which keys' tenants reach it
 * @param parameters what its query may have
 */
record Endpoint(
    String operationId,
    Verb verb,
    PathTemplate path,
    Role least,
    Reach reach,
    Set<String> parameters,
    Handler handler) {

  /** The methods in use. */
  enum Verb {
    GET,
    POST,
    PUT
  }

  /** Whom it concerns. */
  enum Reach {
    /** The tenant that its path names. */
    TENANT,
    /** No tenant: every caller with a key may ask. */
    NO_TENANT,
    /** Every caller, also one without a key where others need one. */
    ANYONE,
    /** All tenants at once. */
    EVERY_TENANT
  }

  /** Answers a call. Runs on a virtual thread, and may block. */
  @FunctionalInterface
  interface Handler {

    /**
     * @throws Refusal and the exceptions that {@link Problems} knows
     */
    ApiResponse answer(Call call);
  }

  Endpoint {
    parameters = Set.copyOf(parameters);
    if (path.names("tenant") != (reach == Reach.TENANT)) {
      throw new IllegalArgumentException(operationId + " reaches " + reach + " at " + path);
    }
  }

  /** One of a tenant. */
  static Endpoint of(
      String operationId,
      Verb verb,
      String path,
      Role least,
      Handler handler,
      String... parameters) {
    return new Endpoint(
        operationId,
        verb,
        new PathTemplate(path),
        least,
        Reach.TENANT,
        Set.of(parameters),
        handler);
  }

  /**
   * Lets the principal pass.
   *
   * @throws Refusal if it may not do that, or asks for it by a parameter that would be passed over,
   *     and with it what was meant
   */
  void check(Principal principal, Call call) {
    boolean reaches =
        switch (reach) {
          case TENANT -> principal.reaches(call.path("tenant"));
          case NO_TENANT, ANYONE -> true;
          case EVERY_TENANT -> principal.everyTenant();
        };
    if (!reaches) {
      throw Refusal.of(
          Code.FORBIDDEN,
          "key %s is of tenant %s only".formatted(principal.name(), principal.tenant()));
    }
    if (!principal.role().covers(least)) {
      throw Refusal.of(
          Code.FORBIDDEN,
          "key %s has the role %s, and %s needs %s"
              .formatted(principal.name(), principal.role(), operationId, least));
    }
    for (String parameter : call.query().keySet()) {
      if (!parameters.contains(parameter)) {
        throw Refusal.of(
            Code.BAD_REQUEST,
            "%s has no parameter %s; it has %s"
                .formatted(
                    operationId,
                    parameter,
                    parameters.isEmpty() ? "none" : String.join(", ", new TreeSet<>(parameters))));
      }
    }
  }
}
