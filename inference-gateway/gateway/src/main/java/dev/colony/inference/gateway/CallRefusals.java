package dev.colony.inference.gateway;

import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.PromptPage;
import dev.colony.inference.gateway.AdmissionDecision.Evicted;
import dev.colony.inference.gateway.AdmissionDecision.Rejected;
import dev.colony.inference.gateway.ModelClients.ModelChain;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;

/** What a call fails with that is not sent to any replica, with what was spent on it before. */
record CallRefusals(
    InferenceRequest request, AdmissionSettings admission, ModelChain chain, MeteredCall spent) {

  InferenceException rejected(Rejected<?> rejected) {
    String tenant = request.context().tenant();
    String why =
        switch (rejected.reason()) {
          case TENANT_FULL ->
              "as many calls %s wait for a replica as may, %d"
                  .formatted(
                      tenant.isEmpty() ? "without a tenant" : "of tenant " + tenant,
                      admission.of(tenant).maxWaiting());
          case FULL ->
              "as many calls wait for a replica as may, %d".formatted(admission.maxWaiting());
          case TOO_LATE ->
              "its turn would come after its deadline of " + request.context().deadline();
        };
    return refused(Kind.REJECTED, "the call was rejected: " + why, rejected.retryAfter());
  }

  InferenceException evicted(Evicted<?> evicted) {
    return switch (evicted.reason()) {
      case DEADLINE ->
          refused(
              Kind.TIMEOUT,
              "no replica had a free slot within " + request.context().deadline(),
              evicted.retryAfter());
      case HIGHER_PRIORITY ->
          refused(
              Kind.EVICTED,
              "the call was evicted: one of its tenant that goes before it took its place",
              evicted.retryAfter());
      case FAIR_SHARE ->
          refused(
              Kind.EVICTED,
              "the call was evicted: one of a tenant with fewer waiting calls took its place",
              evicted.retryAfter());
    };
  }

  private InferenceException refused(Kind kind, String message, Duration retryAfter) {
    return new InferenceException(kind, message, null, spent.total(), Optional.of(retryAfter));
  }

  /** Replicas are known, and none of them may hold the prompt's pages. */
  InferenceException barred() {
    return request.prompt().pages().stream()
        .max(Comparator.comparing(PromptPage::sensitivity))
        .map(page ->
            new InferenceException(
                Kind.REFUSED,
                "page %s is %s, and no replica%s may hold it: see colony.vcm.access.replicas"
                    .formatted(
                        page.id(),
                        page.sensitivity().word(),
                        chain.model().isEmpty() ? "" : " of " + chain.model()),
                null,
                spent.total()))
        .orElseGet(this::nowhere);
  }

  /** No replica is known. */
  InferenceException nowhere() {
    String of = chain.model().isEmpty() ? "" : " of model " + chain.model();
    return new InferenceException(
        Kind.UNREACHABLE, "no replica" + of + " is known", null, spent.total());
  }
}
