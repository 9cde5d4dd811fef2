package dev.colony.replica;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpServerKeepAliveHandler;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * A server that hands each request to a handler on a virtual thread of its own. A client that
 * closes its connection has the thread of its exchange interrupted, whatever that waits for; one
 * that takes too long to send a request's body loses its connection.
 */
final class HttpServing implements AutoCloseable {

  /** Replies to an exchange; without a whole reply the connection is closed. */
  @FunctionalInterface
  interface Handler {
    void handle(Exchange exchange);
  }

  private static final int BACKLOG = 1024;

  /** Requests that a client may send ahead of their replies; beyond it its connection closes. */
  private static final int MOST_PIPELINED = 16;

  private static final int MOST_LINE_BYTES = 16384;
  private static final int MOST_HEADER_BYTES = 393_216;
  private static final int CHUNK_BYTES = 65536;

  private static final byte[] NOTHING = {};

  private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final ExecutorService threads =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("embedded-replica-", 0).factory());
  private final int maxRequestBytes;
  private final Duration requestTimeout;
  private final Handler handler;
  private Channel server;

  private HttpServing(int maxRequestBytes, Duration requestTimeout, Handler handler) {
    this.maxRequestBytes = maxRequestBytes;
    this.requestTimeout = requestTimeout;
    this.handler = handler;
  }

  /**
   * Binds and serves.
   *
   * @param port 0 takes any free one
   * @throws IOException if the address cannot be bound
   */
  static HttpServing start(
      String host, int port, int maxRequestBytes, Duration requestTimeout, Handler handler)
      throws IOException {
    HttpServing serving = new HttpServing(maxRequestBytes, requestTimeout, handler);
    ChannelFuture bound =
        new ServerBootstrap()
            .group(serving.loop)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel channel) {
                    serving.connect(channel);
                  }
                })
            .bind(new InetSocketAddress(host, port))
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      serving.close();
      throw new IOException("cannot listen at " + host + ":" + port, bound.cause());
    }
    serving.server = bound.channel();
    return serving;
  }

  int port() {
    return ((InetSocketAddress) server.localAddress()).getPort();
  }

  /** Stops serving and cuts all connections; returns when the port is free. */
  @Override
  public void close() {
    threads.shutdownNow();
    if (server != null) {
      server.close().awaitUninterruptibly();
    }
    // The end of the loop leaves some idle connections open: their clients would go on using them.
    connections.close().awaitUninterruptibly();
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  private void connect(SocketChannel channel) {
    connections.add(channel);
    channel
        .pipeline()
        .addLast(new HttpServerCodec(MOST_LINE_BYTES, MOST_HEADER_BYTES, CHUNK_BYTES))
        .addLast(new HttpServerKeepAliveHandler())
        .addLast(new BodyAlarm(requestTimeout))
        .addLast(new BoundedBody(maxRequestBytes))
        .addLast(new Connection());
  }

  /** A request without the body that passed the bound. */
  private record Oversized(HttpMessage head) {}

  private static final class BoundedBody extends HttpObjectAggregator {
    BoundedBody(int maxBytes) {
      super(maxBytes);
    }

    /** The rest of the body is read and dropped, so that the client sees the reply. */
    @Override
    protected void handleOversizedMessage(ChannelHandlerContext ctx, HttpMessage oversized) {
      ctx.fireChannelRead(new Oversized(oversized));
    }
  }

  /** Closes the connection of a client that does not send the body that it has announced. */
  private static final class BodyAlarm extends ChannelInboundHandlerAdapter {
    private final Duration timeout;
    private Future<?> alarm;

    BodyAlarm(Duration timeout) {
      this.timeout = timeout;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      if (message instanceof HttpRequest) {
        alarm =
            ctx.executor().schedule(() -> ctx.close(), timeout.toMillis(), TimeUnit.MILLISECONDS);
      }
      if (message instanceof LastHttpContent) {
        silence();
      }
      ctx.fireChannelRead(message);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      silence();
      ctx.fireChannelInactive();
    }

    private void silence() {
      if (alarm != null) {
        alarm.cancel(false);
        alarm = null;
      }
    }
  }

  /** One connection: its exchanges one after the other. All fields belong to its event loop. */
  private final class Connection extends ChannelInboundHandlerAdapter {
    private final ArrayDeque<Exchange> pipelined = new ArrayDeque<>();
    private Future<?> serving;

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      try {
        switch (message) {
          case FullHttpRequest request when request.decoderResult().isFailure() -> refuse(ctx);
          case FullHttpRequest request ->
              next(ctx, exchange(ctx, request, ByteBufUtil.getBytes(request.content()), false));
          case Oversized oversized ->
              next(ctx, exchange(ctx, (HttpRequest) oversized.head(), NOTHING, true));
          case HttpContent rest -> {
            // What follows a request that was refused.
          }
          default -> throw new IllegalStateException("not a request: " + message);
        }
      } finally {
        ReferenceCountUtil.release(message);
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      pipelined.clear();
      if (serving != null) {
        serving.cancel(true);
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      ctx.close();
    }

    private void next(ChannelHandlerContext ctx, Exchange exchange) {
      if (serving == null) {
        serve(ctx, exchange);
      } else if (pipelined.size() < MOST_PIPELINED) {
        pipelined.add(exchange);
      } else {
        ctx.close();
      }
    }

    private void serve(ChannelHandlerContext ctx, Exchange exchange) {
      serving =
          threads.submit(() -> {
            try {
              handler.handle(exchange);
            } finally {
              ctx.executor().execute(() -> served(ctx, exchange));
            }
          });
    }

    private void served(ChannelHandlerContext ctx, Exchange exchange) {
      serving = null;
      if (!exchange.finished()) {
        ctx.close();
      } else if (!pipelined.isEmpty()) {
        serve(ctx, pipelined.poll());
      }
    }

    private Exchange exchange(
        ChannelHandlerContext ctx, HttpRequest request, byte[] body, boolean tooLarge) {
      return new Exchange(
          ctx.channel(), request.method().name(), request.uri(), request.headers(), body, tooLarge);
    }

    private void refuse(ChannelHandlerContext ctx) {
      DefaultFullHttpResponse response =
          new DefaultFullHttpResponse(
              HttpVersion.HTTP_1_1, HttpResponseStatus.BAD_REQUEST, Unpooled.EMPTY_BUFFER);
      response.headers().set(HttpHeaderNames.CONTENT_LENGTH, 0);
      ctx.channel().writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
    }
  }
}
