package dev.colony.server.http;

import dev.colony.server.AuditLog.Action;
import dev.colony.server.Authenticator;
import dev.colony.server.Principal;
import dev.colony.server.Principal.Role;
import dev.colony.server.http.ApiResponse.Responses;
import dev.colony.server.http.Call.Caller;
import dev.colony.server.http.Endpoint.EndpointTable;
import dev.colony.server.http.Endpoint.EndpointTable.Found;
import dev.colony.server.http.Problems.Code;
import dev.colony.server.http.Problems.ErrorForm;
import dev.colony.server.http.Problems.Refusal;
import dev.colony.server.http.RequestRates.AtWork;
import dev.colony.server.http.RequestRates.RequestTiming;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.http.javadsl.model.HttpEntity;
import org.apache.pekko.http.javadsl.model.HttpHeader;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.model.MediaTypes;
import org.apache.pekko.http.javadsl.model.headers.RawHeader;
import org.apache.pekko.http.javadsl.model.headers.TimeoutAccess;
import org.apache.pekko.http.scaladsl.model.EntityStreamException;
import org.apache.pekko.http.scaladsl.model.EntityStreamSizeException;
import org.apache.pekko.http.scaladsl.model.IllegalUriException;

/**
 * One request from its head to its answer: who asks, whether not too often, for what, whether that
 * is allowed, and only then its body. Does not block; endpoints and the check of tokens run
 * elsewhere.
 */
final class RequestHandler {

  /** Only its words tell whether a body that cannot be read is too large or malformed. */
  private static final Pattern SIZE = Pattern.compile("too large|exceed");

  /** What a caller may name its request. */
  private static final Pattern REQUEST_ID = Pattern.compile("[\\x21-\\x7e]{1,128}");

  /** Of those that have a meaning here, all; Content-Type and Content-Length the parser checks. */
  private static final Set<String> SINGLE =
      Set.of(
          "authorization",
          "host",
          "idempotency-key",
          "last-event-id",
          "mcp-method",
          "mcp-name",
          "mcp-protocol-version",
          "origin",
          Caller.API_KEY,
          OpenAiEndpoints.SESSION,
          OpenAiEndpoints.PRIORITY);

  /** The header of answers that says the caller's role. */
  private static final String ROLE = "Colony-Role";

  /** A caller without a key, on a path that needs none. It reaches no tenant. */
  private static final Principal ANYONE = new Principal("anyone", "~", Role.VIEWER);

  private final ActorSystem<?> system;
  private final HttpSettings settings;
  private final HttpSettings.Bounds bounds;
  private final Authenticator authenticator;
  private final EndpointTable table;
  private final RequestRates rates;
  private final AtWork atWork;
  private final EventStreams streams;
  private final ModelReplies replies;
  private final Executor endpoints;
  private final ApiListener listener;

  RequestHandler(
      ActorSystem<?> system,
      HttpSettings settings,
      HttpSettings.Bounds bounds,
      Authenticator authenticator,
      EndpointTable table,
      EventStreams streams,
      Executor endpoints,
      ApiListener listener) {
    this.system = system;
    this.settings = settings;
    this.bounds = bounds;
    this.authenticator = authenticator;
    this.table = table;
    this.rates = new RequestRates(settings.rate(), bounds.withoutKey());
    this.atWork = new AtWork(bounds.atWork(), bounds.answer());
    this.streams = streams;
    this.replies = new ModelReplies(system, settings.openai().perKey(), bounds, listener);
    this.endpoints = endpoints;
    this.listener = listener;
  }

  CompletionStage<HttpResponse> handle(HttpRequest request) {
    RequestTiming timing = new RequestTiming(listener);
    request
        .getHeader(TimeoutAccess.class)
        .ifPresent(access ->
            access.timeoutAccess().updateHandler(late -> timing.answered(tooLate(form(request)))));
    return answer(request, timing).thenApply(timing::answered);
  }

  private CompletionStage<HttpResponse> answer(HttpRequest request, RequestTiming timing) {
    if (Dashboard.near(request.getUri().path())) {
      request.discardEntityBytes(system);
      return now(Responses.elsewhere(Dashboard.PATH));
    }
    try {
      Map<String, String> headers = admittedHeaders(request);
      Caller caller = new Caller(authenticator, headers);
      Found asked = table.find(request.method().value(), segments(request));
      return caller.blocks()
          ? CompletableFuture.supplyAsync(() -> admitted(caller, asked), endpoints)
              .thenCompose(known -> answer(request, timing, asked, caller, known, headers))
              .exceptionally(failure -> refused(request, failure))
          : answer(request, timing, asked, caller, admitted(caller, asked), headers);
    } catch (RuntimeException failure) {
      return now(refused(request, failure));
    }
  }

  private HttpResponse refused(HttpRequest request, Throwable failure) {
    request.discardEntityBytes(system);
    return problem(failure, form(request));
  }

  private CompletionStage<HttpResponse> answer(
      HttpRequest request,
      RequestTiming timing,
      Found asked,
      Caller caller,
      Principal principal,
      Map<String, String> headers) {
    return switch (asked) {
      case Found.Matched found -> carriedOut(request, timing, found, caller, principal, headers);
      case Found.Options options -> {
        request.discardEntityBytes(system);
        yield now(Responses.options(allow(options.allowed())));
      }
      case Found.OtherMethod other ->
          throw Refusal.of(
              Code.METHOD_NOT_ALLOWED,
              "the path takes " + String.join(", ", other.allowed()),
              allow(other.allowed()));
      case Found.Nothing nothing -> throw nothing(request);
    };
  }

  private CompletionStage<HttpResponse> carriedOut(
      HttpRequest request,
      RequestTiming timing,
      Found.Matched found,
      Caller caller,
      Principal principal,
      Map<String, String> headers) {
    Endpoint endpoint = found.endpoint();
    timing.of(endpoint);
    Consumer<String> acting = what -> timing.does(action(principal, what, request, headers));
    if (endpoint.changes()) {
      acting.accept(endpoint.operationId());
    }
    Call head = new Call(principal, acting, found.names(), query(request), headers, "");
    endpoint.check(principal, head);
    Runnable recheck = () -> endpoint.check(caller.principal(), head);
    return body(request, endpoint)
        .thenApplyAsync(body -> atWork.take(() -> worked(endpoint, head.with(body))), endpoints)
        .thenCompose(
            answer -> response(answer, found.headOnly(), principal, recheck, client(request)))
        .thenApply(answer -> withRole(answer, principal))
        .exceptionally(failure -> problem(failure, form(request)));
  }

  /** A page shows what its user may do. */
  private static HttpResponse withRole(HttpResponse answer, Principal principal) {
    return principal.equals(ANYONE)
        ? answer
        : answer.addHeader(RawHeader.create(ROLE, principal.role().word()));
  }

  private static Action action(
      Principal who, String what, HttpRequest request, Map<String, String> headers) {
    String id =
        Optional.ofNullable(headers.get(RequestTiming.REQUEST_ID.toLowerCase(Locale.ROOT)))
            .filter(given -> REQUEST_ID.matcher(given).matches())
            .orElseGet(() -> UUID.randomUUID().toString());
    return new Action(who, what, request.getUri().path(), id);
  }

  private static RequestClock.Client client(HttpRequest request) {
    return request.getAttribute(RequestClock.CLIENT).orElseGet(RequestClock.Client::new);
  }

  private static ErrorForm form(HttpRequest request) {
    return ErrorForm.of(segments(request));
  }

  private static RuntimeException nothing(HttpRequest request) {
    return form(request).ofModels()
        ? OpenAiEndpoints.notServed(request.method().value(), request.getUri().path())
        : Refusal.of(Code.NOT_FOUND, "there is no such path; /v1/openapi.yaml has them all");
  }

  private static Map<String, String> allow(Set<String> methods) {
    return Map.of("Allow", String.join(", ", methods));
  }

  private ApiResponse worked(Endpoint endpoint, Call call) {
    listener.workBegun();
    try {
      return endpoint.handler().answer(call);
    } finally {
      listener.workEnded();
    }
  }

  private Principal admitted(Caller caller, Found asked) {
    Principal principal;
    try {
      principal = caller.principal();
    } catch (Refusal keyless) {
      rates.countWithoutKey();
      if (keyless.problem().status() != Code.FOREIGN_HOST.status() && forAnyone(asked)) {
        return ANYONE;
      }
      throw keyless;
    }
    rates.count(principal);
    return principal;
  }

  private static boolean forAnyone(Found asked) {
    return asked instanceof Found.Matched matched
        && matched.endpoint().reach() == Endpoint.Reach.ANYONE;
  }

  private static List<String> segments(HttpRequest request) {
    List<String> segments = new ArrayList<>();
    request.getUri().pathSegments().forEach(segments::add);
    if (request.getUri().path().endsWith("/")) {
      segments.add("");
    }
    return segments;
  }

  private static Map<String, List<String>> query(HttpRequest request) {
    try {
      return request.getUri().query().toMultiMap();
    } catch (IllegalUriException malformed) {
      throw Refusal.of(Code.BAD_REQUEST, "the query cannot be decoded");
    }
  }

  /** A head that says two things cannot tell who asks, so it counts as one without a key. */
  private Map<String, String> admittedHeaders(HttpRequest request) {
    try {
      return headers(request);
    } catch (Refusal ambiguous) {
      rates.countWithoutKey();
      throw ambiguous;
    }
  }

  /**
   * By lower-case names; of several of one name, the first.
   *
   * @throws Refusal if one of {@link #SINGLE} is there more than once: proxies and servers that
   *     take different ones of them see different requests
   */
  private static Map<String, String> headers(HttpRequest request) {
    Map<String, String> headers = new HashMap<>();
    for (HttpHeader header : request.getHeaders()) {
      String name = header.lowercaseName();
      if (headers.putIfAbsent(name, header.value()) != null && SINGLE.contains(name)) {
        throw Refusal.of(
            Code.BAD_REQUEST, "the header %s is given more than once".formatted(header.name()));
      }
    }
    return headers;
  }

  private CompletionStage<String> body(HttpRequest request, Endpoint endpoint) {
    HttpEntity entity = request.entity();
    if (entity.isKnownEmpty()) {
      return CompletableFuture.completedStage("");
    }
    // That of a GET means nothing, but has to be read before the answer all the same.
    if (endpoint.verb() != Endpoint.Verb.GET
        && !entity.getContentType().mediaType().equals(MediaTypes.APPLICATION_JSON)) {
      throw Refusal.of(
          Code.UNSUPPORTED_MEDIA_TYPE,
          "the body is %s, but must be application/json".formatted(entity.getContentType()));
    }
    int most = form(request).ofModels() ? settings.openai().body() : settings.request().body();
    // One that came with its head needs no stream, which costs more than all else that is done
    // here.
    if (entity instanceof HttpEntity.Strict there && there.getData().length() <= most) {
      return CompletableFuture.completedStage(text(there.getData().asByteBuffer()));
    }
    return entity
        .withSizeLimit(most)
        .toStrict(bounds.bodyTime().toMillis(), most, system)
        .handle((strict, failure) -> {
          if (failure != null) {
            throw broken(failure, most);
          }
          return text(strict.getData().asByteBuffer());
        });
  }

  private static String text(ByteBuffer bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
    } catch (CharacterCodingException malformed) {
      throw Refusal.of(Code.BAD_REQUEST, "the body is no UTF-8");
    }
  }

  private static Refusal broken(Throwable failure, int most) {
    return switch (failure) {
      case TimeoutException slow ->
          Refusal.of(Code.REQUEST_TIMEOUT, "the body did not come in time");
      case EntityStreamSizeException large -> tooLarge(most);
      case EntityStreamException large when SIZE.matcher(large.info().summary()).find() ->
          tooLarge(most);
      default -> Refusal.of(Code.BAD_REQUEST, "the body broke off, or its chunks are malformed");
    };
  }

  private static Refusal tooLarge(int most) {
    return Refusal.of(Code.TOO_LARGE, "a body is at most " + most + " bytes");
  }

  /**
   * @param headOnly whether its events are not asked for; the body of other answers is left out by
   *     Pekko
   * @param recheck fails as soon as the principal may not have the answer any more
   */
  private CompletionStage<HttpResponse> response(
      ApiResponse answer,
      boolean headOnly,
      Principal principal,
      Runnable recheck,
      RequestClock.Client client) {
    return switch (answer) {
      case ApiResponse.Json json -> now(Responses.json(json));
      case ApiResponse.Stored stored -> now(Responses.stored());
      case ApiResponse.Document document -> now(Responses.document(document));
      case ApiResponse.Asset asset -> now(Responses.asset(asset));
      case ApiResponse.Events<?> events when headOnly -> now(Responses.headOfEvents());
      case ApiResponse.Events<?> events ->
          now(streams.answer(principal.title(), events, recheck, client));
      case ApiResponse.Later later ->
          later.answer().thenCompose(then -> response(then, headOnly, principal, recheck, client));
      case ApiResponse.Whole<?> reply -> replies.answer(principal.title(), reply, client);
      case ApiResponse.Parts<?> reply -> replies.answer(principal.title(), reply, client);
    };
  }

  private static CompletionStage<HttpResponse> now(HttpResponse response) {
    return CompletableFuture.completedStage(response);
  }

  private HttpResponse problem(Throwable failure, ErrorForm form) {
    ErrorForm.Told told = form.told(failure);
    listener.problem(told.code());
    return told.response();
  }

  private HttpResponse tooLate(ErrorForm form) {
    return problem(
        Refusal.of(Code.TIMEOUT, "it may have happened; ask again", Map.of("Retry-After", "1")),
        form);
  }
}
