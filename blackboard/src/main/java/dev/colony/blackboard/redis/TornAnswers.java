package dev.colony.blackboard.redis;

import io.lettuce.core.protocol.CommandHandler;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.pubsub.PubSubCommandHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;

/**
 * Fails the oldest command under way when a connection ends, so that it is sent anew by whoever
 * made it ({@link BrokenConnection}). Lettuce does so itself where a connection breaks with an
 * error. Where the server ends it in order, as the system does for a server that was killed,
 * Lettuce repeats the command as it stands, with all that it has read of the torn answer: what the
 * answer lists would come twice, or one level deeper.
 *
 * <p>Not on a pub/sub connection: Lettuce itself subscribes anew there.
 */
final class TornAnswers extends ChannelInboundHandlerAdapter {

  @Override
  public void channelInactive(ChannelHandlerContext context) throws Exception {
    CommandHandler commands = context.pipeline().get(CommandHandler.class);
    if (commands != null && !(commands instanceof PubSubCommandHandler)) {
      RedisCommand<?, ?, ?> oldest = commands.getStack().poll();
      if (oldest != null) {
        oldest.completeExceptionally(new IOException("the connection ended before the answer did"));
      }
    }
    super.channelInactive(context);
  }
}
