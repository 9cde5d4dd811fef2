dependencies {
    api(project(":inference-gateway:gateway"))
    api(libs.jtokkit)
    api(libs.netty.codec.http)
    api(libs.lucene.core)
    api(libs.lucene.analysis.common)
    api(libs.msgpack.core)
    api(libs.jeromq)
    testImplementation(project(path = ":inference-gateway:gateway", configuration = "testJar"))
    testImplementation(libs.logback.classic)
}
