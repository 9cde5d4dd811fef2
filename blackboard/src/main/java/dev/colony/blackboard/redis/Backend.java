package dev.colony.blackboard.redis;

import dev.colony.blackboard.value.ValueCodec;

/** What the scopes of one backend have in common. */
record Backend(
    RedisConnections connections,
    ValueCodec codec,
    ScopeCalls calls,
    EntryReader reader,
    RedisExpiry expiry,
    RedisFeeds feeds) {}
