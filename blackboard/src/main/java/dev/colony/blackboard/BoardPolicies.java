package dev.colony.blackboard;

import java.util.Optional;

/** The policies of one board, composed. */
public record BoardPolicies(
    AccessPolicy access, ValidationPolicy validation, Optional<Eviction> eviction) {

  /** Everything is allowed and nothing is evicted. */
  public static final BoardPolicies NONE =
      new BoardPolicies(AccessPolicy.open(), ValidationPolicy.any(), Optional.empty());

  /** These, and that access besides. */
  public BoardPolicies access(AccessPolicy policy) {
    return new BoardPolicies(access.and(policy), validation, eviction);
  }

  /** These, and that validation besides. */
  public BoardPolicies validation(ValidationPolicy policy) {
    return new BoardPolicies(access, validation.and(policy), eviction);
  }

  /** These, with that eviction instead. */
  public BoardPolicies eviction(Eviction policy) {
    return new BoardPolicies(access, validation, Optional.of(policy));
  }
}
