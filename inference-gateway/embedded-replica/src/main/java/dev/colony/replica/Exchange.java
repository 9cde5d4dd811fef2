package dev.colony.replica;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * A request and the reply to it: whole by {@link #reply}, or opened, written piece by piece and
 * ended. Used by the thread of its exchange only; a write waits while the client reads too slowly,
 * so an exchange holds no more than one piece and the channel's buffer.
 *
 * <p>Every write fails with an {@link IOException} once the client has gone.
 */
final class Exchange {

  static final ObjectMapper JSON = new ObjectMapper();

  private final Channel channel;
  private final String method;
  private final QueryStringDecoder uri;
  private final HttpHeaders headers;
  private final byte[] body;
  private final boolean tooLarge;
  private final HttpHeaders replyHeaders = new DefaultHttpHeaders();
  private boolean finished;

  Exchange(
      Channel channel,
      String method,
      String uri,
      HttpHeaders headers,
      byte[] body,
      boolean tooLarge) {
    this.channel = channel;
    this.method = method;
    this.uri = new QueryStringDecoder(uri);
    this.headers = headers;
    this.body = body;
    this.tooLarge = tooLarge;
  }

  String method() {
    return method;
  }

  String path() {
    return uri.path();
  }

  /** All values of a request header, in their order. */
  List<String> headers(String name) {
    return headers.getAll(name);
  }

  /** The request's body; empty where it is {@link #tooLarge}. */
  byte[] body() {
    return body;
  }

  /** Whether the body passes the bound, so that it was dropped. */
  boolean tooLarge() {
    return tooLarge;
  }

  /** Sets a header of the reply, before it is opened. */
  void header(String name, String value) {
    replyHeaders.set(name, value);
  }

  /** Sends the whole reply. */
  void reply(int status, String type, byte[] content) throws IOException, InterruptedException {
    DefaultFullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1,
            HttpResponseStatus.valueOf(status),
            Unpooled.wrappedBuffer(content));
    headers(response, type);
    response.headers().set(HttpHeaderNames.CONTENT_LENGTH, content.length);
    finished = true;
    send(response);
  }

  /** Sends a whole reply of JSON. */
  void json(int status, JsonNode body) throws IOException, InterruptedException {
    reply(status, "application/json", bytes(body));
  }

  /** Sends a whole reply of text. */
  void text(int status, String type, String body) throws IOException, InterruptedException {
    reply(status, type, body.getBytes(StandardCharsets.UTF_8));
  }

  static byte[] bytes(JsonNode node) {
    try {
      return JSON.writeValueAsBytes(node);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a JSON tree is always writable", e);
    }
  }

  /** Sends the head of a reply whose length is not known yet. */
  void open(int status, String type) throws IOException, InterruptedException {
    DefaultHttpResponse response =
        new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(status));
    headers(response, type);
    response.headers().set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
    send(response);
  }

  /** Sends a piece of an opened reply. */
  void write(byte[] piece) throws IOException, InterruptedException {
    send(new DefaultHttpContent(Unpooled.wrappedBuffer(piece)));
  }

  /** Ends an opened reply. */
  void end() throws IOException, InterruptedException {
    finished = true;
    send(LastHttpContent.EMPTY_LAST_CONTENT);
  }

  /** Sends bytes past the protocol, well-formed or not; the connection closes afterwards. */
  void raw(byte[] bytes) throws IOException, InterruptedException {
    await(
        channel
            .pipeline()
            .context(HttpServerCodec.class)
            .writeAndFlush(Unpooled.wrappedBuffer(bytes)));
  }

  boolean finished() {
    return finished;
  }

  private void headers(HttpResponse response, String type) {
    response.headers().set(replyHeaders);
    response.headers().set(HttpHeaderNames.CONTENT_TYPE, type);
  }

  private void send(Object message) throws IOException, InterruptedException {
    if (!channel.isActive()) {
      throw new IOException("the client has gone");
    }
    ChannelFuture written = channel.writeAndFlush(message);
    if (!channel.isWritable()) {
      await(written);
    }
  }

  private static void await(ChannelFuture written) throws IOException, InterruptedException {
    CompletableFuture<Void> done = new CompletableFuture<>();
    written.addListener(future -> {
      if (future.isSuccess()) {
        done.complete(null);
      } else {
        done.completeExceptionally(future.cause());
      }
    });
    try {
      done.get();
    } catch (ExecutionException e) {
      throw new IOException("the client has gone", e.getCause());
    }
  }
}
