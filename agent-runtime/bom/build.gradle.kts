plugins {
    `java-platform`
}

javaPlatform {
    allowDependencies()
}

dependencies {
    api(platform(libs.jackson.bom))
    api(platform(libs.netty.bom))
    api(platform(libs.pekko.bom))
    constraints {
        api(project(":blackboard"))
        api(project(":agent-runtime:testkit-board"))
        api(project(":vcm-cache:pages"))
        api(project(":vcm-cache:schedule"))
        api(project(":vcm-cache:documents"))
        api(project(":vcm-cache:meaning"))
        api(project(":inference-gateway:gateway"))
        api(project(":inference-gateway:embedded-replica"))
        api(project(":inference-gateway:langchain4j"))
        api(project(":agent-runtime:api"))
        api(project(":agent-runtime:core"))
        api(project(":agent-runtime:journal"))
        api(project(":agent-runtime:client"))
        api(project(":agent-runtime:library"))
        api(project(":agent-runtime:node"))
        api(project(":agent-runtime:testkit"))
        api(project(":agent-runtime:mcp"))
        api(project(":agent-runtime:code"))
        api(project(":agent-runtime:spring-boot-starter"))
        api(project(":deploy:server"))
        api(project(":deploy:cli"))
        // what a part needs and does not bring along
        api(libs.lucene.analysis.common)
        api(libs.lucene.core)
        api(libs.jgit)
        api(libs.msgpack.core)
        api(libs.jeromq)
    }
}
