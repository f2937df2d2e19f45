"""
Runs OpenStack Swift with its S3 API in one process: python3 run-swift.py FOLDER BUCKET. Accounts and containers are stored
in FOLDER, objects in memory. Prints the port when the bucket exists, and ends with its standard input.
"""
import json
import os
import sys
from array import array

import eventlet
import eventlet.wsgi

eventlet.monkey_patch()

from swift.account.server import AccountController
from swift.common import utils
from swift.common.middleware import catch_errors, tempauth
from swift.common.middleware.s3api import s3api
from swift.common.ring import RingData
from swift.common.swob import Request
from swift.common.wsgi import SwiftHttpProtocol
from swift.container.server import ContainerController
from swift.obj.mem_server import ObjectController
from swift.proxy.server import Application

REGION, ACCESS_KEY, SECRET = 'us-east-1', 'test:tester', 'testing'


class Cache:
    """Of one process; the authentication requires one."""

    def __init__(self, app):
        self.app, self.values = app, {}

    def __call__(self, env, start_response):
        env['swift.cache'] = self
        return self.app(env, start_response)

    def get(self, key, *_, **__):
        return self.values.get(key)

    def set(self, key, value, *_, **__):
        self.values[key] = value

    def delete(self, key, *_, **__):
        self.values.pop(key, None)


def listen():
    return eventlet.listen(('127.0.0.1', 0), backlog=500)


def serve(socket, app):
    log = utils.get_logger({})
    eventlet.spawn(eventlet.wsgi.server, socket, app, log, protocol=SwiftHttpProtocol, log_output=False)


def main(folder, bucket):
    utils.validate_configuration = lambda: None
    utils.HASH_PATH_PREFIX, utils.HASH_PATH_SUFFIX = b'parley', b'tests'
    conf = {'devices': folder, 'mount_check': 'false', 'swift_dir': folder, 'log_level': 'ERROR'}
    os.mkdir(os.path.join(folder, 'disk'))

    for name, server in [('account', AccountController), ('container', ContainerController), ('object', ObjectController)]:
        socket = listen()
        port = socket.getsockname()[1]
        device = {'id': 0, 'region': 1, 'zone': 1, 'weight': 1, 'device': 'disk', 'ip': '127.0.0.1', 'port': port,
                  'replication_ip': '127.0.0.1', 'replication_port': port, 'meta': ''}
        # One replica in one partition.
        RingData([array('H', [0])], [device], 32).save(os.path.join(folder, name + '.ring.gz'))
        serve(socket, server(conf))

    proxy = Application({**conf, 'allow_account_management': 'true', 'account_autocreate': 'true'})
    users = {'user_' + ACCESS_KEY.replace(':', '_'): SECRET + ' .admin'}
    app = tempauth.filter_factory(conf, **users)(proxy)
    app = s3api.filter_factory(conf, location=REGION)(app)
    app = catch_errors.filter_factory(conf)(Cache(app))

    request = Request.blank('/v1/AUTH_test/' + bucket, method='PUT')
    request.environ['swift.authorize_override'] = True
    response = request.get_response(Cache(proxy))
    if not response.is_success:
        sys.exit('The bucket was not created: %s' % response.status)

    socket = listen()
    serve(socket, app)
    print(json.dumps({'port': socket.getsockname()[1], 'region': REGION, 'accessKey': ACCESS_KEY, 'secret': SECRET}), flush=True)
    eventlet.tpool.execute(sys.stdin.read)
    os._exit(0)


main(*sys.argv[1:])
